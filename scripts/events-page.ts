import {
  builtInProfiles,
  eventTypes,
  isEphemeralEvent,
  type Json,
  type Session,
  turnChart,
} from '@pawl/core';
import { answerLine, type PipeAnswer, type StateFormat } from '../packages/cli/src/commands/pipe-answer.ts';
import { maxLineBytes } from '../packages/cli/src/commands/pipe-lines.ts';
import { actionSchemas, actionAnswerEvents } from '../packages/runtime/src/schema/actions.ts';
import { eventExamples } from '../packages/runtime/src/schema/examples.ts';
import { payloadDepthMax } from '../packages/runtime/src/schema/json-value.ts';
import { buildEventsJsonSchema, type JsonSchema } from '../packages/runtime/src/schema/json-schema.ts';
import { listMax } from '../packages/runtime/src/schema/list.ts';
import { noteSchemas } from '../packages/runtime/src/schema/notes.ts';
import { toSchemaName } from '../packages/runtime/src/schema/schema-name.ts';
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
    'What the machine can wait for. States that are only passed through show up in notes, never as the state.',
    renderAlignedTable(
      ['state', 'what it is'],
      turnChart.states.map(({ name, kind, description }) => [
        `\`${name}\``,
        kind === 'passing' ? `${description} Passed through.` : description,
      ]),
    ),
    '## Events',
    'While `paused`, an event is taken as the state that was paused would take it, but no new work begins.',
    ...eventTypes.flatMap((type) => renderEventBlocks(type, definitions)),
    '## Actions',
    'Carry them out in the order they come in. What answers an action carries its `request`, if it has one.',
    ...actionTypes.flatMap((type) => [
      ...renderTypeBlocks(type, toSchemaName(type, 'Action'), definitions),
      actionAnswerEvents[type].length === 0
        ? 'Nothing answers it.'
        : `Answered by ${actionAnswerEvents[type].map((event) => `[\`${event}\`](#${event})`).join(', ')}.`,
    ]),
    '## Notes',
    'Leave any of them out, and nothing changes.',
    ...noteTypes.flatMap((type) => renderTypeBlocks(`${type} note`, toSchemaName(type, 'Note'), definitions)),
    '## Parts',
    'What the fields above are made of.',
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
    `${isEphemeralEvent(example) ? 'Ephemeral. ' : ''}Taken in ${names}.`,
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
  '<!-- Made by `npm run docs` from the schemas and by running the machine; edits by hand are lost. -->',
  `The heart of Pawl is one function. You tell it what happened, and it tells you what to do next. By itself it does
nothing: it reads no clock and no file, calls no model and starts no tool. That is your part, in whatever language
you like.`,
  `- An **event** is something that happened: a person said something, the model answered, a tool ended. Events are
  the only way anything gets in.
- An **action** is something that you must now do: ask the model, run these tools, wait. What comes of it you tell
  with the next events.
- A **note** is something worth recording: the machine went from one state to another, or a phase began. Notes ask
  for nothing, and you may drop them all.`,
  `All of them are plain JSON objects with a \`type\`, and [events.schema.json](events.schema.json) is the JSON Schema of
them all. Every event has \`at\`, the time in milliseconds: the machine knows no other clock.`,
  `An event that does not fit the state is **refused**: the state stays as it is, a note says why, and you go on as
before. So you cannot break a session by sending something at the wrong time.`,
  '## Requests',
  `Each action that asks for work has a number, its \`request\`. The events that answer it carry the same number. An
answer to a request that was cancelled in the meantime is refused. An answer without a number applies to the current
request.`,
  '## Ephemeral events',
  `Some events are for showing only:
${ephemeral.map((type) => `[\`${type}\`](#${type})`).join(', ')}.
They do not count in \`seq\` and need not be stored; a log without them leads to the same session.`,
];

const pipeSection = [
  '## The pipe',
  `\`pawl pipe\` runs the machine beside your program. Write an event as one line of JSON to its standard input, and read
one line of JSON from its standard output. Each line that is not blank gets exactly one answer, in order, and it is
there before you write the next.`,
  renderAlignedTable(
    ['key', 'what it holds'],
    [
      [
        '`ok`',
        '`true` if the line was an event; if not, `line` and `error` say which line it was and what is wrong.',
      ],
      ['`seq`', 'How many durable events the session has seen.'],
      ['`refused`', 'Why the event did not fit the state; absent if it did. The line was good all the same.'],
      ['`state`', 'What the machine waits for, without the conversation; `messages` is the length of that.'],
      ['`actions`', 'What to do now, in this order.'],
      ['`notes`', 'What is worth recording.'],
    ],
  ),
  'A line that is not an event is answered like this, and the stream goes on:',
  renderJsonLines(runPipeLines(['{"type":"user-mesage","text":"Hello"}'])),
  renderAlignedTable(
    ['option', 'what it does'],
    [
      [
        '`--profile <name>`',
        `How the machine behaves: ${joinWithOr(builtInProfiles.map(({ name }) => `\`${name}\``))}.`,
      ],
      [
        '`--state <form>`',
        'Put the state into the answer as `compact` (the default), `full` or `status`: only its name.',
      ],
      ['`--id <id>`', 'The id of the session; `pipe` if absent.'],
      ['`--schema`', 'Print the JSON Schema of the events, and leave.'],
    ],
  ),
  `- An event without \`at\` is given the time of its arrival. With \`at\` in every event, the same lines always get the
  same answers.
- A line may have up to ${maxLineBytes / 1024 ** 2} MiB, a list of calls up to ${listMax.toLocaleString('en')} items, and a payload may be ${payloadDepthMax} levels deep.
- At the end of the input the exit code is 0 if every line was good, and 1 if one was not. The event
  [\`shutdown-requested\`](#shutdown-requested) is answered and ends the process with 0.`,
];

/** Renders one turn with the state machine's actual output. */
function renderWorkedExample(): readonly string[] {
  const turn = [
    ['A person asks for something, and the machine wants the model to be asked:', exampleMessage],
    ['The model wants to read a file, and the machine wants the tool to be run:', exampleReply],
    [
      'The tool has run, and the machine wants the model to be asked again, with the result:',
      exampleToolResult,
    ],
    ['The model answers in words. The turn is over, and the machine waits for the person:', exampleAnswer],
    ['The same answer a second time does not fit any longer:', exampleAnswer],
    ['The person leaves:', { type: 'shutdown-requested', at: 9_000 }],
  ] as const;
  const lines = turn.map(([, event]) => JSON.stringify(event));
  const results = runPipeLines(lines);
  return [
    '### One turn',
    'Of each pair, the first line goes into `pawl pipe --state status` and the second comes out.',
    ...turn.flatMap(([words, event], index) => [words, renderJsonLines([event, results[index]])]),
    'Without `--state status`, the first answer has the whole state in it:',
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
