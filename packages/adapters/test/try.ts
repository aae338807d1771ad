import { governMessages } from '../src/messages.ts';
function show(messages: object[]) { const { verdict, advice, dropTools, refuse, finish, isOver } = governMessages(messages); console.log(messages.length, verdict?.rule, verdict?.response.kind, dropTools, refuse.length, finish, isOver, advice?.slice(0, 150)); }
const chat: object[] = [{ role: 'system', content: 's' }, { role: 'user', content: 'go' }];
for (let i = 0; i < 6; i++) { chat.push({ role: 'assistant', content: null, tool_calls: [{ id: `c${i}`, type: 'function', function: { name: 'read', arguments: '{"path":"a.txt"}' } }] }); show(chat); chat.push({ role: 'tool', tool_call_id: `c${i}`, content: 'hello' }); show(chat); }
console.log('---');
const ab: object[] = [{ role: 'user', content: 'go' }];
for (let i = 0; i < 8; i++) { ab.push({ role: 'assistant', content: [{ type: 'tool_use', id: `c${i}`, name: 'bash', input: { command: i % 2 ? 'make' : 'npm test' } }] }); ab.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${i}`, is_error: true, content: i % 2 ? 'no rule to make target' : 'missing script: test' }] }); show(ab); }
