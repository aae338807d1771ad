import type { Cluster, Redis } from 'ioredis';

/** One Redis, or a cluster of them. */
export type RedisClient = Redis | Cluster;
