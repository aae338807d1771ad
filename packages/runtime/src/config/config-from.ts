import { resolve } from 'node:path';
import { findProfile } from '@pawl/core';
import type { McpServer } from '../mcp/mcp-server.ts';
import { parseRule, type PermissionRule } from '../permission/rule.ts';
import type { WrittenConfig } from './config-schema.ts';
import type { Config } from './config.ts';

/** What is meant by a file in that folder: rules read, servers named, paths made whole. */
export function configFrom(written: WrittenConfig, folder: string): Config {
  const { $schema: _, profile, store, permission, mcpServers, ...rest } = written;
  const servers = Object.entries(mcpServers ?? {}).map(([name, server]) => serverFrom(name, server, folder));
  return {
    ...rest,
    ...(profile !== undefined && { profile: profileFrom(profile, folder) }),
    ...(store !== undefined && { store: storeFrom(store, folder) }),
    ...(permission !== undefined && { permission: permissionFrom(permission) }),
    ...(mcpServers !== undefined && { mcpServers: servers }),
  };
}

/** Anything but the name of a profile that is built in, if it looks like a path. */
function profileFrom(profile: string, folder: string): string {
  const isFile = findProfile(profile) === undefined && /[/\\]|\.(?:json|ya?ml)$/i.test(profile);
  return isFile ? resolve(folder, profile) : profile;
}

/** A file, unless it is the word for a place, or an address. */
function storeFrom(store: string, folder: string): string {
  return ['user', 'workspace', 'none'].includes(store) || store.includes('://')
    ? store
    : resolve(folder, store);
}

function permissionFrom({
  rules,
  ...permission
}: NonNullable<WrittenConfig['permission']>): NonNullable<Config['permission']> {
  return { ...permission, ...(rules !== undefined && { rules: rules.flatMap(ruleFrom) }) };
}

/** The schema has seen to it that each can be read. */
function ruleFrom(text: string): readonly PermissionRule[] {
  const parsed = parseRule(text);
  return parsed.ok ? [parsed.rule] : [];
}

type WrittenServer = NonNullable<WrittenConfig['mcpServers']>[string];

function serverFrom(name: string, { cwd, ...server }: WrittenServer, folder: string): McpServer {
  const whole = { name, ...server, ...(cwd !== undefined && { cwd: resolve(folder, cwd) }) };
  // The schema has seen to it that there is a command or an address, and only what goes with it.
  return whole as McpServer;
}
