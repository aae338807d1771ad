/** A run of a coding agent whose model is scripted: the commands that the model asks for. */
export type HostScript = {
  readonly name: string;
  readonly isHealthy: boolean;
  /** Whether the model answers by itself at the end of the commands, so that every run has to show its answer. */
  readonly endsWithAnswer: boolean;
  /** The most model requests, including the one for the answer, that a governed run of a loop may take. */
  readonly requestsMax: number;
  /** The maximum number of tool calls in the hooks; no limit if absent. */
  readonly hookCallsMax?: number;
  /** The commands of each reply; several are parallel calls. */
  readonly replies: readonly (readonly string[])[];
};

/** The model repeats a loop this often, whatever advice it gets, unless it is offered no tools. */
const loopSteps = 30;

const healthySteps = 12;

/** What the model says when its script is over, or when it has no tools to continue. */
export const scriptedAnswer = 'That is all I can say about the notes.';

/** The files that the commands read. */
export const workFiles: Readonly<Record<string, string>> = {
  'notes.txt': 'Buy oak boards.\nAsk about the roof.\n',
  'plan.txt': 'First the roof, then the floor.\n',
  'fixed.txt': '0\n',
  // Fails as long as there is something to fix, each time in another way.
  'test.sh':
    'read n < fixed.txt\necho "FAIL room-$((n + 1)): expected a door, found $n"\necho "$((6 - n)) failed, $n passed"\n[ "$n" -ge 6 ]\n',
  ...Object.fromEntries(
    Array.from({ length: healthySteps }, (_, index) => [
      `room-${index + 1}.txt`,
      `Room ${index + 1}: ${'a window, '.repeat(index + 1)}and a door.\n`,
    ]),
  ),
};

export const hostScripts: readonly HostScript[] = [
  createLoop('same call', 5, ['cat notes.txt']),
  createLoop('two calls in turn', 8, ['cat notes.txt', 'cat plan.txt']),
  createLoop(
    'failing calls',
    8,
    Array.from({ length: loopSteps }, (_, index) => `cat missing-${index + 1}.txt`),
  ),
  // The budget of the hooks ends the work at the first of four parallel calls. The model obeys: no agent may be stopped
  // because of the other calls, before the model answers.
  {
    name: 'parallel calls',
    isHealthy: false,
    endsWithAnswer: true,
    requestsMax: 3,
    hookCallsMax: 1,
    replies: [['cat notes.txt'], ['cat room-1.txt', 'cat room-2.txt', 'cat room-3.txt', 'cat room-4.txt']],
  },
  createHealthyScript(
    'reading',
    Array.from({ length: healthySteps }, (_, index) => `cat room-${index + 1}.txt`),
  ),
  createHealthyScript(
    'editing and testing',
    Array.from({ length: healthySteps }, (_, index) =>
      index % 2 === 0 ? 'sh test.sh' : `sed -i 's/.*/${(index + 1) / 2}/' fixed.txt`,
    ),
  ),
];

function createHealthyScript(name: string, commands: readonly string[]): HostScript {
  return {
    name,
    isHealthy: true,
    endsWithAnswer: true,
    requestsMax: commands.length + 1,
    replies: commands.map((command) => [command]),
  };
}

function createLoop(name: string, requestsMax: number, commands: readonly string[]): HostScript {
  const replies = Array.from({ length: loopSteps }, (_, index) => [commands[index % commands.length] ?? '']);
  return { name, isHealthy: false, endsWithAnswer: false, requestsMax, replies };
}
