import type { Cluster, Redis } from 'ioredis';

/** A single Redis or a cluster. */
export type RedisClient = Redis | Cluster;
