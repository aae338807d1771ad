/** The first line of the plugin file, by which it is recognized. */
const pluginMarker =
  '// Written by `pawl hook install opencode`. `pawl hook remove opencode` deletes this file.';

/** The plugin: it sends opencode's events to the hook and applies the answers. It runs in Bun, without dependencies. */
const pluginBody = String.raw`
import { spawn } from 'node:child_process';

const timeoutMs = 10_000;
const maxRemembered = 200;

/** Sends an event to the hook and resolves to its answer; null on failure, because a failing hook must not block the agent. */
function askHook(event) {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command[0], command.slice(1), {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: timeoutMs,
      windowsHide: true,
    });
    child.on('error', () => resolve(null));
    child.stdin.on('error', () => {});
    child.stdout.on('data', (chunk) => (output += chunk));
    child.on('close', () => {
      try {
        resolve(JSON.parse(output));
      } catch {
        resolve(null);
      }
    });
    child.stdin.end(JSON.stringify(event));
  });
}

export const PawlPlugin = async ({ client }) => {
  /** The parents of sub-agents, which are sessions of their own. */
  const parents = new Map();
  const reportedFailures = new Set();
  /** Advice about failed calls, whose results a plugin cannot change: it is added to the next result. */
  const pendingAdvice = new Map();
  /** The number of model requests of each agent: calls with the same number belong to the same reply. */
  const requestCounts = new Map();

  const report = async (hook_event_name, sessionID, fields = {}) => {
    const parent = parents.get(sessionID);
    const ids = parent === undefined ? { session_id: sessionID } : { session_id: parent, agent_id: sessionID };
    try {
      return (await askHook({ ...ids, hook_event_name, ...fields })) ?? {};
    } catch {
      return {};
    }
  };

  const reportFailure = async ({ callID, sessionID, tool, state }) => {
    if (reportedFailures.has(callID)) return;
    if (reportedFailures.size >= maxRemembered) reportedFailures.clear();
    reportedFailures.add(callID);
    const fields = { tool_name: tool, tool_input: state.input ?? null, error: String(state.error ?? '') };
    const answer = await report('PostToolUseFailure', sessionID, fields);
    const advice = answer.hookSpecificOutput?.additionalContext;
    if (advice !== undefined) pendingAdvice.set(sessionID, advice);
  };

  return {
    event: async ({ event }) => {
      const { info, part } = event.properties ?? {};
      if (event.type === 'session.created' && info?.parentID) parents.set(info.id, info.parentID);
      if (event.type === 'session.deleted' && info?.id) {
        if (!parents.delete(info.id)) await report('SessionEnd', info.id);
        pendingAdvice.delete(info.id);
        requestCounts.delete(info.id);
      }
      if (event.type === 'message.part.updated' && part?.type === 'tool' && part.state?.status === 'error')
        await reportFailure(part);
    },
    'chat.message': async ({ sessionID }) => {
      await report('UserPromptSubmit', sessionID);
    },
    'chat.params': async ({ sessionID, agent, message }) => {
      // Titles and summaries are requested by agents of their own.
      if (agent === message?.agent) requestCounts.set(sessionID, (requestCounts.get(sessionID) ?? 0) + 1);
    },
    'tool.execute.before': async ({ tool, sessionID }, { args }) => {
      const answer = await report('PreToolUse', sessionID, {
        tool_name: tool,
        tool_input: args ?? null,
        reply: requestCounts.get(sessionID)?.toString(),
      });
      if (answer.continue === false) {
        // Not awaited: opencode waits for this hook before it aborts.
        client.session.abort({ path: { id: sessionID } }).catch(() => {});
        throw new Error(answer.stopReason);
      }
      const { permissionDecision, permissionDecisionReason } = answer.hookSpecificOutput ?? {};
      if (permissionDecision === 'deny') throw new Error(permissionDecisionReason);
    },
    'tool.execute.after': async ({ tool, sessionID, args }, result) => {
      const answer = await report('PostToolUse', sessionID, {
        tool_name: tool,
        tool_input: args ?? null,
        reply: requestCounts.get(sessionID)?.toString(),
        tool_response: result?.output ?? result?.content ?? null,
        exit_code: result?.metadata?.exit ?? null,
      });
      const advice = [pendingAdvice.get(sessionID), answer.hookSpecificOutput?.additionalContext].filter(Boolean);
      pendingAdvice.delete(sessionID);
      if (typeof result?.output === 'string') result.output = [result.output, ...advice].join('\n\n');
      // Results of MCP servers consist of parts.
      else if (Array.isArray(result?.content)) result.content.push(...advice.map((text) => ({ type: 'text', text })));
    },
  };
};
`;

/** Renders the plugin file that runs this command for each event. */
export function renderOpencodePlugin(command: readonly string[]): string {
  return `${pluginMarker}\nconst command = ${JSON.stringify(command)};\n${pluginBody}`;
}

/** Returns the command of an installed plugin file; null if the file is not ours. */
export function findOpencodeCommand(text: string): readonly string[] | null {
  const [marker, line = ''] = text.split('\n');
  const json = /^const command = (\[.*\]);$/.exec(line)?.[1];
  if (marker !== pluginMarker || json === undefined) return null;
  try {
    const command: unknown = JSON.parse(json);
    return Array.isArray(command) ? command.map(String) : null;
  } catch {
    return null;
  }
}
