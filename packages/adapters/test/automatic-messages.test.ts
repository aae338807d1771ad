import { describe, expect, it } from 'vitest';
import { governMessages } from '../src/messages.ts';

const task = { role: 'user', content: 'What is in a.txt?' };

function createRound(id: number): readonly object[] {
  const call = { id: `c${id}`, type: 'function', function: { name: 'read', arguments: '{"path":"a.txt"}' } };
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: call.id, content: 'the same as ever' },
  ];
}

function createAnthropicRound(id: number): readonly object[] {
  const call = { type: 'tool_use', id: `c${id}`, name: 'read', input: { path: 'a.txt' } };
  return [
    { role: 'assistant', content: [call] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'the same' }] },
  ];
}

const loop = [task, ...[1, 2, 3, 4].flatMap(createRound)];
const answered = [...loop, { role: 'assistant', content: 'Nothing new.' }];

function createEnvironment(time: string): string {
  return `<environment_details>\n# Current Time\n${time}\n</environment_details>`;
}

describe('a message that an agent writes in the name of the user', () => {
  it.each([
    `[ERROR] You did not use a tool in your previous response! Please retry with a tool use.\n\n# Reminder`,
    'System: Potential loop detected. Details: Repeated tool call: read. Please take a step back',
    'Please continue working on the task on whatever approach you think is suitable.\nIf you think',
    'You have not yet marked the task as complete using the task_complete tool. You must call it.',
    `[ERROR] You did not use a tool in your previous response! Retry.\n${createEnvironment('9:01')}`,
    createEnvironment('9:02'),
  ])('does not reopen an ended conversation: %s', (content) => {
    expect(governMessages([...answered, { role: 'user', content }]).isOver).toBe(true);
    const blocks = [{ type: 'text', text: content }];
    expect(governMessages([...answered, { role: 'user', content: blocks }]).isOver).toBe(true);
  });

  it('does not reset the governor after every round', () => {
    const messages = [1, 2, 3, 4].flatMap((id) => [
      ...createRound(id),
      { role: 'user', content: createEnvironment(`9:0${id}`) },
    ]);
    expect(governMessages([task, ...messages])).toMatchObject({ dropTools: true, isOver: false });
  });
});

describe('a message of the user', () => {
  it('reopens an ended conversation, also with an environment that the agent adds', () => {
    const content = `And b.txt?\n${createEnvironment('9:03')}`;
    expect(governMessages([...answered, { role: 'user', content }])).toMatchObject({
      isOver: false,
      dropTools: false,
    });
    const image = [{ type: 'image_url', image_url: { url: 'data:,' } }];
    expect(governMessages([...answered, { role: 'user', content: image }]).isOver).toBe(false);
  });

  it.each([
    ['feedback', 'The user has provided feedback.\n<feedback>\nAnd b.txt?\n</feedback>'],
    ['user_message', '<user_message>\nAnd b.txt?\n</user_message>'],
    ['nothing', 'Done.'],
  ])('in the result of a completion tool reopens the conversation: %s', (kind, content) => {
    const call = { id: 'last', type: 'function', function: { name: 'attempt_completion', arguments: '{}' } };
    const messages = [
      ...loop,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'last', content },
    ];
    expect(governMessages(messages).isOver).toBe(kind === 'nothing');
  });

  it('next to the result of a completion tool reopens the conversation', () => {
    const messages = [
      task,
      ...[1, 2, 3, 4].flatMap(createAnthropicRound),
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'last', name: 'attempt_completion', input: {} }],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'last', content: '[attempt_completion] Result:' },
          { type: 'text', text: 'The user has feedback.\n<feedback>\nAnd b.txt?\n</feedback>' },
        ],
      },
    ];
    expect(governMessages(messages).isOver).toBe(false);
  });

  it('in the result of another tool does not: a file may contain the same text', () => {
    const call = { id: 'last', type: 'function', function: { name: 'read', arguments: '{}' } };
    const messages = [
      ...loop,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'last', content: '<feedback>Go on.</feedback>' },
    ];
    expect(governMessages(messages).isOver).toBe(true);
  });
});

function createTextRound(id: number, ...blocks: readonly string[]): readonly object[] {
  return [
    ...createRound(id).map((message) =>
      'tool_call_id' in message ? { ...message, content: 'result missing' } : message,
    ),
    {
      role: 'user',
      content: [...blocks, '# task_progress', createEnvironment(`9:0${id}`)].map((text) => ({
        type: 'text',
        text,
      })),
    },
  ];
}

function createCompletionMessages(text: string): readonly object[] {
  const call = { id: 'last', type: 'function', function: { name: 'attempt_completion', arguments: '{}' } };
  return [
    ...loop,
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'last', content: 'result missing' },
    {
      role: 'user',
      content: [
        { type: 'text', text: '[attempt_completion] Result:\nDone.' },
        { type: 'text', text },
      ],
    },
  ];
}

describe('results that Cline sends as text of the user', () => {
  it.each([
    ['in one block', ["[read for 'a.txt'] Result:\nthe same as ever"]],
    ['in two blocks', ["[read for 'a.txt'] Result:", 'the same as ever']],
  ])('are results %s', (_name, blocks) => {
    const judged = [3, 4, 5].map((count) =>
      governMessages([
        task,
        ...[1, 2, 3, 4, 5].slice(0, count).flatMap((id) => createTextRound(id, ...blocks)),
      ]),
    );
    expect(judged.map(({ verdict }) => verdict?.response.kind)).toEqual(['advise', 'stop', undefined]);
    expect(judged.map(({ isOver }) => isOver)).toEqual([false, false, true]);
  });

  it('are results next to placeholders of the same message', () => {
    const rounds = [1, 2, 3, 4].flatMap((id) => {
      const [reply] = createAnthropicRound(id);
      const placeholder = { type: 'tool_result', tool_use_id: `c${id}`, content: 'result missing' };
      const text = { type: 'text', text: "[read for 'a.txt'] Result:\nthe same as ever" };
      const details = { type: 'text', text: createEnvironment(`9:0${id}`) };
      return [reply ?? {}, { role: 'user', content: [placeholder, text, details] }];
    });
    expect(governMessages([task, ...rounds])).toMatchObject({ dropTools: true, isOver: false });
  });

  it('differ if their texts differ', () => {
    const rounds = [1, 2, 3, 4, 5].flatMap((id) =>
      createTextRound(id, `[read for 'a.txt'] Result:\nline ${'x'.repeat(id)}`),
    );
    expect(governMessages([task, ...rounds])).toMatchObject({ dropTools: false });
  });

  it('may contain the answer of the user to a completion', () => {
    expect(governMessages(createCompletionMessages('<feedback>\nAnd b.txt?\n</feedback>')).isOver).toBe(
      false,
    );
    expect(governMessages(createCompletionMessages('# task_progress')).isOver).toBe(true);
  });
});
