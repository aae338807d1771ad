import { describe, expect, it } from 'vitest';
import { startProxiedUpstream } from './start-proxy.ts';

/** A request with a history of two different calls, as a program may write it: with odd spacing, escapes and numbers. */
const healthyRequests: readonly (readonly [name: string, path: string, body: string])[] = [
  [
    'chat completions',
    '/v1/chat/completions?api-version=2',
    String.raw`{ "model":"tiny" , "seed": 12345678901234567890, "temperature": 1.0, "x-unknown": {"__proto__": [1e2, null]},
      "prompt_cache_key": "k", "reasoning_effort": "high", "tools": [{"type":"function","function":{"name":"read"},"cache_control":{"type":"ephemeral"}}],
      "messages": [
        {"role":"system","content":[{"type":"text","text":"\u00fc\/","cache_control":{"type":"ephemeral","ttl":"1h"}}]},
        {"role":"user","content":[{"type":"text","text":"Look."},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo=","detail":"low"}}]},
        {"role":"assistant","content":null,"reasoning_content":"Hm.","refusal":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{ \"path\": \"a\" }"},"extra_content":{"google":{"thought_signature":"s"}}}]},
        {"role":"tool","tool_call_id":"c1","content":"A"},
        {"role":"assistant","tool_calls":[{"id":"c2","type":"function","function":{"name":"read","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"B"}]}]}`,
  ],
  [
    'responses',
    '/v1/responses',
    String.raw`{"model":"tiny","store":false,"include":["reasoning.encrypted_content"],"prompt_cache_key":"k","reasoning":{"effort":"high","summary":"auto"},
      "tools":[{"type":"function","name":"read"},{"type":"custom","name":"patch","format":{"type":"grammar"}},{"type":"web_search"}], "instructions":"Read.",
      "input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Look."},{"type":"input_image","image_url":"data:,"}]},
        {"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA=="},
        {"type":"function_call","call_id":"c1","name":"read","arguments":"{}","id":"fc_1"},
        {"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"A"}]},
        {"type":"custom_tool_call","call_id":"c2","name":"patch","input":"*** Begin"},
        {"type":"custom_tool_call_output","call_id":"c2","output":"B"}, {"type":"item_reference","id":"x"}]}`,
  ],
  [
    'Anthropic messages',
    '/v1/messages?beta=true',
    String.raw`{"model":"tiny","max_tokens":4096,"thinking":{"type":"enabled","budget_tokens":1024},"metadata":{"user_id":"u"},"context_management":{"edits":[]},
      "system":[{"type":"text","text":"Read.","cache_control":{"type":"ephemeral"}}],
      "tools":[{"name":"read","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}},{"type":"web_search_20250305","name":"web_search"}],
      "messages":[{"role":"user","content":[{"type":"text","text":"Look."},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]},
        {"role":"assistant","content":[{"type":"thinking","thinking":"Hm.","signature":"sig=="},{"type":"redacted_thinking","data":"x"},{"type":"tool_use","id":"t1","name":"read","input":{"n":1.0}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"A"}],"cache_control":{"type":"ephemeral"}}]},
        {"role":"assistant","content":[{"type":"server_tool_use","id":"s1","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"s1","content":[]},{"type":"text","text":"So."}]},
        {"role":"user","content":"More."}]}`,
  ],
  [
    'Gemini',
    '/v1beta/models/tiny:generateContent?key=secret',
    String.raw`{"systemInstruction":{"parts":[{"text":"Read."}]},"cachedContent":"cachedContents/7","safetySettings":[],"generationConfig":{"temperature":1.0,"thinkingConfig":{"includeThoughts":true}},
      "tools":[{"functionDeclarations":[{"name":"read","parametersJsonSchema":{"type":"object"}}]},{"googleSearch":{}}],
      "contents":[{"role":"user","parts":[{"text":"Look."},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]},
        {"role":"model","parts":[{"text":"Hm.","thought":true},{"functionCall":{"name":"read","args":{"n":1.0}},"thoughtSignature":"sig=="}]},
        {"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"A"}}}]},
        {"role":"model","parts":[{"function_call":{"name":"read","args":{}}}]},
        {"role":"function","parts":[{"functionResponse":{"name":"read","response":{"output":"B"}}}]}]}`,
  ],
];

const answer = '{ "odd" :\t1e400, "content":[],\n"usage":{} }';

describe.each(healthyRequests)('a healthy request with %s', (_name, path, body) => {
  it.each([true, false])(
    'is forwarded byte for byte, and so is its reply; with a budget: %s',
    async (hasBudget) => {
      const { upstream, proxy } = await startProxiedUpstream(
        () => (_req, res) => {
          res.writeHead(200, { 'content-type': 'application/json' }).end(answer);
        },
        hasBudget ? { budgets: { modelCalls: 50 } } : {},
      );
      for (let times = 0; times < 2; times += 1) {
        const response = await fetch(`${proxy.url}${path}`, {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json' },
        });
        expect([response.status, await response.text()]).toEqual([200, answer]);
        expect(upstream.requests[times]).toMatchObject({ path, raw: body });
      }
      await proxy.waitUntilIdle();
      expect(proxy.notes).toEqual([]);
    },
  );
});
