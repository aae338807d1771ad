import { resolve } from 'node:path';
import { findProfile } from '@pawl/core/profiles';
import type { McpServer } from '../mcp/mcp-server.ts';
import { parsePermissionRule, type PermissionRule } from '../permission/rule.ts';
import type { ConfigDocument } from './config-schema.ts';
import type { Config } from './config.ts';

/** Resolves a configuration document: parses rules, adds server names and resolves paths relative to its folder. */
export function resolveConfig(document: ConfigDocument, folder: string): Config {
  const { $schema: _, profile, store, permission, mcpServers, ...rest } = document;
  const servers = Object.entries(mcpServers ?? {}).map(([name, server]) =>
    resolveServerConfig(name, server, folder),
  );
  return {
    ...rest,
    ...(profile !== undefined && { profile: resolveProfilePath(profile, folder) }),
    ...(store !== undefined && { store: resolveStoreLocation(store, folder) }),
    ...(permission !== undefined && { permission: parsePermissionConfig(permission) }),
    ...(mcpServers !== undefined && { mcpServers: servers }),
  };
}

/** Resolves a value that looks like a path, unless it is the name of a built-in profile. */
function resolveProfilePath(profile: string, folder: string): string {
  const isFile = findProfile(profile) === undefined && /[/\\]|\.(?:json|ya?ml)$/i.test(profile);
  return isFile ? resolve(folder, profile) : profile;
}

/** Resolves a file path; keywords and URLs stay as they are. */
function resolveStoreLocation(store: string, folder: string): string {
  return ['user', 'workspace', 'none'].includes(store) || store.includes('://')
    ? store
    : resolve(folder, store);
}

function parsePermissionConfig({
  rules,
  ...permission
}: NonNullable<ConfigDocument['permission']>): NonNullable<Config['permission']> {
  return { ...permission, ...(rules !== undefined && { rules: rules.flatMap(parseConfigRule) }) };
}

/** The schema has already validated each rule. */
function parseConfigRule(text: string): readonly PermissionRule[] {
  const parsed = parsePermissionRule(text);
  return parsed.ok ? [parsed.rule] : [];
}

type RawServerConfig = NonNullable<ConfigDocument['mcpServers']>[string];

function resolveServerConfig(name: string, { cwd, ...server }: RawServerConfig, folder: string): McpServer {
  const resolved = { name, ...server, ...(cwd !== undefined && { cwd: resolve(folder, cwd) }) };
  // The schema guarantees either a command or a URL, and only the keys that belong to it.
  return resolved as McpServer;
}
