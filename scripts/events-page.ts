import { eventTypes, isEphemeralEvent, type Json, type Session } from '@pawl/core';
import { turnChart } from '@pawl/core/charts';
import { builtInProfiles } from '@pawl/core/profiles';
import {
  answerLine,
  maxLineBytes,
  type PipeAnswer,
  type StateFormat,
} from '../packages/cli/src/commands/pipe/answer.ts';
import { actionSchemas, actionAnswerEvents } from '../packages/runtime/src/schema/actions.ts';
import { eventExamples } from '../packages/runtime/src/schema/events.ts';
import { payloadDepthMax } from '../packages/runtime/src/schema/json-value.ts';
import { buildEventsJsonSchema, type JsonSchema } from '../packages/runtime/src/schema/json-schema.ts';
import { listMax } from '../packages/runtime/src/schema/parts.ts';
import { noteSchemas } from '../packages/runtime/src/schema/notes.ts';
import { toSchemaName } from '../packages/runtime/src/schema/exact-schema.ts';
import { renderAlignedTable } from './markdown-table.ts';
import type { GeneratedPage } from './pages.ts';

/** docs/events.md and docs/events.schema.json: all inputs and outputs of the state machine. */
export function buildEventsPages(): readonly GeneratedPage[] {
  const schema = buildEventsJsonSchema();
  return [
    { path: 'docs/events.md', text: `${renderEventsBlocks(schema.$defs).join('\n\n')}\n` },
    { path: 'docs/events.schema.json', text: `${JSON.stringify(schema, null, 2)}\n` },
  ];
}

type SchemaDefinitions = { readonly [name: string]: JsonSchema };

/** Renders the page as Markdown blocks, to be separated by blank lines. */
function renderEventsBlocks(definitions: SchemaDefinitions): readonly string[] {
  const actionTypes = Object.keys(actionSchemas) as (keyof typeof actionSchemas)[];
  const noteTypes = Object.keys(noteSchemas) as (keyof typeof noteSchemas)[];
  return [
    ...introduction,
    ...pipeSection,
    ...renderWorkedExample(),
    '## States',
    'What a session can wait for. Transient states appear in notes, never as the state of a session.',
    renderAlignedTable(
      ['state', 'description'],
      turnChart.states.map(({ name, kind, description }) => [
        `\`${name}\``,
        kind === 'passing' ? `${description} Transient.` : description,
      ]),
    ),
    '## Events',
    'While `paused`, events are processed as in the paused state, but no new work starts.',
    ...eventTypes.flatMap((type) => renderEventBlocks(type, definitions)),
    '## Actions',
    'Perform them in the given order. The answer to an action has its `request`, if there is one.',
    ...actionTypes.flatMap((type) => [
      ...renderTypeBlocks(type, toSchemaName(type, 'Action'), definitions),
      actionAnswerEvents[type].length === 0
        ? 'It has no answer.'
        : `Answered by ${actionAnswerEvents[type].map((event) => `[\`${event}\`](#${event})`).join(', ')}.`,
    ]),
    '## Notes',
    'Notes are optional: ignoring them changes nothing.',
    ...noteTypes.flatMap((type) => renderTypeBlocks(`${type} note`, toSchemaName(type, 'Note'), definitions)),
    '## Parts',
    'The types of the fields above.',
    ...listPartNames(definitions).flatMap((name) => renderPartBlocks(name, definitions)),
  ];
}

function renderEventBlocks(
  type: (typeof eventTypes)[number],
  definitions: SchemaDefinitions,
): readonly string[] {
  const example = eventExamples[type];
  const states = turnChart.states.filter(({ transitions }) => transitions.some(({ on }) => on === type));
  const names = joinWithOr(states.map(({ name }) => `\`${name}\``));
  return [
    ...renderTypeBlocks(type, toSchemaName(type, 'Event'), definitions),
    `${isEphemeralEvent(example) ? 'Ephemeral. ' : ''}Accepted in ${names}.`,
    renderJsonLines([example]),
  ];
}

function renderTypeBlocks(heading: string, name: string, definitions: SchemaDefinitions): readonly string[] {
  const definition = definitions[name] ?? {};
  return [
    `### ${heading}`,
    toTextOrEmpty(definition['description']),
    renderEventFieldTable(definition, definitions),
  ];
}

function renderPartBlocks(name: string, definitions: SchemaDefinitions): readonly string[] {
  const definition = definitions[name] ?? {};
  return [`### ${name}`, toTextOrEmpty(definition['description']), renderPartBody(definition, definitions)];
}

function renderPartBody(definition: JsonSchema, definitions: SchemaDefinitions): string {
  if (definition['enum'] !== undefined) return `One of ${describeEventType(definition)}.`;
  const variants = listVariants(definition);
  if (variants.length === 0) return renderEventFieldTable(definition, definitions);
  return variants.map((variant) => renderEventFieldTable(variant, definitions)).join('\n\nor\n\n');
}

/** Lists the types that events, actions and notes refer to, directly or indirectly, in order of use. */
function listPartNames(definitions: SchemaDefinitions): readonly string[] {
  const described = /(?:Event|Action|Note)$/;
  const found = new Set<string>();
  const visit = (value: Json): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/\$defs\/(\w+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(definitions[name] ?? null);
    }
  };
  for (const [name, definition] of Object.entries(definitions)) {
    if (described.test(name) && definition['type'] === 'object') visit(definition);
  }
  return [...found];
}

/** Renders the fields of an object, without its type, which is in the heading. */
function renderEventFieldTable(definition: JsonSchema, definitions: SchemaDefinitions): string {
  const required = definition['required'];
  const fields = Object.entries(toSchemaObject(definition['properties'])).filter(
    ([field]) => field !== 'type',
  );
  const rows = fields.map(([field, of]) => {
    const schema = toSchemaObject(of);
    const optional = Array.isArray(required) && required.includes(field) ? '' : ', optional';
    const meaning = schema['description'] ?? definitions[getReferenceName(schema)]?.['description'];
    return [`\`${field}\``, `${describeEventType(schema)}${optional}`, toTextOrEmpty(meaning)];
  });
  return rows.length === 0 ? 'It has no fields.' : renderAlignedTable(['field', 'value', 'meaning'], rows);
}

/** Describes the type of a value in words. */
function describeEventType(schema: JsonSchema): string {
  const { $ref, const: constant, enum: choices, type, items } = schema;
  if ($ref !== undefined) return `[${getReferenceName(schema)}](#${getReferenceName(schema).toLowerCase()})`;
  if (constant !== undefined) return formatInlineCode(constant);
  if (Array.isArray(choices)) return joinWithOr(choices.map(formatInlineCode));
  const variants = listVariants(schema);
  if (variants.length > 0) return joinWithOr(variants.map(describeEventType));
  if (type === 'array') return `list of ${describeEventType(toSchemaObject(items))}`;
  if (Array.isArray(type)) return joinWithOr(type.map((each) => describeEventType({ type: each })));
  return typeNames[toTextOrEmpty(type)] ?? 'any JSON';
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
  null: 'null',
};

function listVariants(schema: JsonSchema): readonly JsonSchema[] {
  const variants = schema['oneOf'] ?? schema['anyOf'] ?? [];
  return Array.isArray(variants) ? variants.map(toSchemaObject) : [];
}

function getReferenceName(schema: JsonSchema): string {
  return toTextOrEmpty(schema['$ref']).replace('#/$defs/', '');
}

function formatInlineCode(value: Json): string {
  return `\`${JSON.stringify(value)}\``;
}

/** `a, b or c` */
function joinWithOr(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}

function toTextOrEmpty(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function toSchemaObject(value: Json | undefined): JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonSchema) : {};
}

function renderJsonLines(values: readonly unknown[]): string {
  return ['```jsonl', ...values.map((value) => JSON.stringify(value)), '```'].join('\n');
}

const ephemeral = eventTypes.filter((type) => isEphemeralEvent(eventExamples[type]));

const introduction = [
  '# Events, actions and notes',
  '<!-- Generated by `npm run docs` from the schemas and by running the state machine; manual edits are lost. -->',
  `This page lists every input and output of Pawl's state machine, \`step(session, event)\`. It is a pure function: it reads
no clock and no file, calls no model and starts no tool. The caller does that, in any language.`,
  `- An **event** is something that happened: the user sent a message, the model replied, a tool finished. Events are the
  only input.
- An **action** is something that the caller must do now: call the model, run tools, wait. The result arrives as the
  next event.
- A **note** is something worth recording: a state transition, or the start of a phase. Notes require nothing and can
  be ignored.`,
  `All of them are plain JSON objects with a \`type\`, and [events.schema.json](events.schema.json) is their JSON
Schema. Every event has \`at\`, the time in milliseconds; the state machine has no other clock.`,
  `An event that the current state does not accept is **rejected**: the state does not change, and a note has the reason. An
event at the wrong time cannot break a session.`,
  '## Requests',
  `Each action that starts work has a number, its \`request\`, and the events that answer it have the same number. A late
answer to cancelled work is recognized by its number and rejected. An answer without a number applies to the current
work.`,
  '## Ephemeral events',
  `Some events are for display only:
${ephemeral.map((type) => `[\`${type}\`](#${type})`).join(', ')}.
They do not count in \`seq\` and need not be stored; a log without them gives the same session.`,
];

const pipeSection = [
  '## The pipe',
  `\`pawl pipe\` runs the state machine in a separate process. Write an event as one line of JSON to its standard input, and
read one line of JSON from its standard output. Each non-blank line gets exactly one answer, in order and immediately.`,
  renderAlignedTable(
    ['key', 'content'],
    [
      [
        '`ok`',
        '`true` if the line is an event; otherwise `line` and `error` have the line number and the problem.',
      ],
      ['`seq`', 'The number of durable events of the session.'],
      ['`refused`', 'Why the state rejected the event; absent if it was accepted. The line itself is valid.'],
      ['`state`', 'The state without the conversation; `messages` is the length of the conversation.'],
      ['`actions`', 'What to do now, in order.'],
      ['`notes`', 'What is worth recording.'],
    ],
  ),
  'A line that is not an event gets this answer, and the stream continues:',
  renderJsonLines(runPipeLines(['{"type":"user-mesage","text":"Hello"}'])),
  renderAlignedTable(
    ['option', 'meaning'],
    [
      ['`--profile <name>`', `The profile: ${joinWithOr(builtInProfiles.map(({ name }) => `\`${name}\``))}.`],
      [
        '`--state <form>`',
        'The format of the state in the answer: `compact` (the default), `full` or `status` (only its name).',
      ],
      ['`--id <id>`', 'The id of the session; `pipe` if absent.'],
      ['`--schema`', 'Print the JSON Schema of the events and exit.'],
    ],
  ),
  `- An event without \`at\` gets the time of its arrival. With \`at\` in every event, the same lines always get the
  same answers.
- A line may have up to ${maxLineBytes / 1024 ** 2} MiB, a list of calls up to ${listMax.toLocaleString('en')} items, and a payload may be ${payloadDepthMax} levels deep.
- At the end of the input the exit code is 0 if every line was valid, and otherwise 1. The event
  [\`shutdown-requested\`](#shutdown-requested) is answered and ends the process with 0.`,
];

/** Renders one turn with the state machine's actual output. */
function renderWorkedExample(): readonly string[] {
  const turn = [
    ['The user sends a message, and the action is to call the model:', exampleMessage],
    ['The model requests a file, and the action is to run the tool:', exampleReply],
    ['The tool has finished, and the action is to call the model again with the result:', exampleToolResult],
    ['The model answers. The turn is over, and the session waits for the user:', exampleAnswer],
    ['The same answer again is rejected:', exampleAnswer],
    ['The session is shut down:', { type: 'shutdown-requested', at: 9_000 }],
  ] as const;
  const lines = turn.map(([, event]) => JSON.stringify(event));
  const results = runPipeLines(lines);
  return [
    '### One turn',
    'The first line of each pair is the input of `pawl pipe --state status`, the second its output.',
    ...turn.flatMap(([words, event], index) => [words, renderJsonLines([event, results[index]])]),
    'Without `--state status`, the first answer contains the state:',
    renderJsonLines(runPipeLines(lines.slice(0, 1), 'compact')),
  ];
}

const exampleMessage = { type: 'user-message', at: 1_000, text: 'What is in the shed?' };
const exampleReply = {
  type: 'model-replied',
  at: 2_000,
  request: 1,
  text: 'Let me look.',
  calls: [{ id: 'a', tool: 'read', args: { path: 'shed.txt' } }],
};
const exampleToolResult = {
  type: 'tool-finished',
  at: 3_000,
  request: 1,
  callId: 'a',
  outcome: { ok: true, output: 'two spades' },
};
const exampleAnswer = { type: 'model-replied', at: 4_000, request: 3, text: 'Two spades.', calls: [] };

function runPipeLines(lines: readonly string[], format: StateFormat = 'status'): readonly PipeAnswer[] {
  const [profile] = builtInProfiles;
  if (profile === undefined) throw new Error('There is no profile.');
  let session: Session | null = null;
  return lines.map((text, index) => {
    const after = answerLine({ id: 'pipe', profile, format }, session, { number: index + 1, text }, () => 0);
    session = after.session;
    return after.answer;
  });
}
