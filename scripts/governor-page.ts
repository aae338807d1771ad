import { pawlRecoveries, pawlRules, type KnownRecovery, type Rule } from '../packages/core/src/index.ts';
import type { GeneratedPage } from './pages.ts';

/** `docs/governor.md`: the prose is defined here, and the rules and thresholds come from the code. */
export function buildGovernorPage(): readonly GeneratedPage[] {
  return [
    {
      path: 'docs/governor.md',
      text: [governorIntro, ...pawlRules.map(renderRuleSection), renderRecoveryTable(), governorOutro].join(
        '\n',
      ),
    },
  ];
}

function renderRuleSection({ id, rationale, thresholds, unit = 'calls' }: Rule): string {
  const { advise, refuse, ask = null, finish } = thresholds;
  const steps = [
    advise === null ? null : `advise at ${advise}`,
    refuse === null ? null : `refuse the call at ${refuse}`,
    ask === null ? null : `ask a person at ${ask}`,
    finish === null ? null : `finish at ${finish}`,
  ].filter((each) => each !== null);
  return `### \`${id}\`\n\n${rationale}\n\nIt counts ${unit}, and will ${steps.join(', ')}.\n`;
}

function describeRemedy({ remedy }: KnownRecovery): string {
  switch (remedy.do) {
    case 'run':
      return `run \`${remedy.tool}\` for the file`;
    case 'wait':
      return `wait ${remedy.ms / 1_000} s`;
    case 'ask':
      return 'ask a person';
    case 'refuse':
      return 'refuse the call';
    default:
      return remedy satisfies never;
  }
}

function renderRecoveryTable(): string {
  const rows = pawlRecoveries.map((each) => `| ${each.id} | ${each.advice} | ${describeRemedy(each)} |`);
  return [
    '## What helps against which error',
    '',
    'When the newest call failed, what is known to help against that kind of error joins the advice. Where the call would be',
    'refused, the remedy is carried out first: a call is run only with a tool that has worked in this session, and a person is',
    'asked only where `attended` says that there is one. `settings.governor.recoveries` adds to the table; the first that fits',
    'is taken, your own before these.',
    '',
    '| kind | what the model is told | and then |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

const governorIntro = `# The governor

<!-- Made by \`npm run docs\`; the rules below are those of the code. Edits by hand are lost. -->

The governor answers one question: is the work moving forward? It sees every tool call once it has ended and every reply,
and says something only when the agent goes round in circles: it advises, then refuses the call, then brings the work to
an end with an answer. It is part of \`step\`: pure, deterministic, with bounded memory and the same cost at the
hundred-thousandth call as at the first. Replaying a log gives the same verdicts.

\`\`\`mermaid
flowchart LR
  seen["a call has ended,<br/>a reply is there"] --> prints["fingerprints<br/>of the last 48 calls"] --> rules["every rule counts"]
  rules -- "below its thresholds" --> quiet["nothing is said"]
  rules -- "advise" --> advice["a word at the bottom<br/>of the next prompt"]
  rules -- "refuse" --> denied["that very call<br/>is not run again"]
  rules -- "ask" --> person["a question to a person"]
  rules -- "finish" --> last["one last reply<br/>without tools"] --> halted["the session halts<br/>with the proof"]
\`\`\`

## What it sees

A call is reduced to three fingerprints. The **call** is the tool and its arguments, in whatever order the arguments were
written. The **outcome** is what the tool said, without what changes by itself: clocks, dates, durations, process numbers,
addresses, ids and temporary names. Other numbers stay, since they may be the news: a poll that moves is never a repeat.
The **class of an error** also leaves out paths, quoted words and every word with a digit in it, so that one wall is
recognised behind different arguments and tools.

A **change** is what a file held before and after, as the tool reports it (\`files\` in \`tool-finished\`) or as the arguments
determine it; a **query** is what was searched for, whatever the order of the words.

It looks back on the last 48 calls since the user last spoke or a phase began. A person's no, a call that was called off
and a call it refused itself are not looked at: they say nothing about whether the work moves. What a harness says to keep
the agent going is no person's word: send it as a \`user-message\` with \`automatic: true\`.

Calls that only **wait** are a kind of their own, bounded by time and not by how often one looks. So are replies without a
call (**talk**), replies that say one thing over and over (**chants**, which are cut off while they are being written), calls
that cannot be understood (**failed decisions**), and **paging**. Each kind has its own short memory and its own rules.

## What it does

A rule counts. At its thresholds the governor climbs one ladder, for each loop once on each rung:

1. **advise**: the model is told what it repeats, how often, with what outcome, and what to do instead. The advice stands
   at the bottom of the next prompt and is never stored in the conversation.
2. **refuse**: that very call is not run again; the model is told why. Anything new that succeeds lifts the refusal.
   Asking for a refused call twice more ends the work.
3. **ask**: the turn ends with a question, where \`settings.governor.attended\` says that somebody is there. Where nobody is,
   the work is finished instead.
4. **finish**: one last model call without tools, so that the run ends in an answer; then the session halts with the rule
   and the reason. It has \`settings.finishMs\` for that (a minute). When no model can say it in time, the answer is made from
   the log: time spent, what was tried, what was found.

Every verdict is a note with its rule, its reason, the numbers of the events that prove it, and those of the events since
that speak against it. \`distances(session.governor.watch, rules)\` tells how far each rule is from what it would do next.

## Budgets

\`settings.budgets\` limits model calls, tool calls, tokens, money (\`usage.cost\`, in whatever currency you count) and the time
since the user last spoke. No approval lifts them. A budget is looked at before the call it would pay for: calls it does
not cover are denied before they start, and enough is kept back for one last model call without tools, so that a budget
ends in an answer, too. Of tokens and money, the next call is expected to take as much as the latest.
\`pawl run --max-steps 20 --max-seconds 60\` sets two of them; the exit code is then 4.

## Changing it

\`\`\`ts
createSession({
  id: 'careful',
  at: Date.now(),
  settings: {
    governor: { preset: 'pawl', rules: { 'same-answer': false, 'error-streak': { finish: 10 } } },
  },
});
\`\`\`

\`preset: 'none'\` switches it off. \`nexora\`, \`nexora-lenient\` and \`savant\` judge as the systems of those names did;
\`config\` takes their keys in either spelling (\`stuck_threshold\`, \`oscillation_window\`, \`progress_check_interval\`,
\`max_recent_actions\`, \`max_recent_errors\`, \`enable\` and the rest) and is checked when the session is made; see
[embedding.md](embedding.md). A rule of your own is an object with an \`id\`, the reason it exists, its thresholds and a
\`match\` function; hand it to \`step\` as a third argument, on replay as well.

## The rules
`;

const governorOutro = `## How good it is

\`npm run eval -- --data DIR\` replays recorded runs through the governor, or through the presets named with \`--preset\`; with
\`--peers FILE\` it does the same for other
detectors, and with \`--leave-one-out\` it fits the thresholds on all sources but one and scores on that one. On 2,154
recorded runs of other people's agents (SWE-bench, customer service, bash, SQL and capture-the-flag tasks; 964 solved, 1,183 not):

| detector | harm | noise | caught | saved | told | wrong |
| --- | --- | --- | --- | --- | --- | --- |
| pawl | 0.0 | 2.6 | 42.9 | 14.0 | 100.0 | 0.0 |
| preset nexora | 0.2 | 0.6 | 16.7 | 4.0 | 66.7 | 0.0 |
| preset nexora-lenient | 0.1 | 0.2 | 9.9 | 1.5 | 38.9 | 0.0 |
| preset savant | 52.0 | 57.6 | 84.9 | 68.8 | 33.3 | 100.0 |
| hermes | 0.0 | 2.2 | 34.4 | 9.3 | 94.4 | 0.0 |
| stella | 0.2 | 0.9 | 38.5 | 13.8 | 77.8 | 33.3 |
| opencode, as documented | 0.3 | 0.3 | 31.4 | 13.4 | 55.6 | 0.0 |
| openhands v0 | 0.2 | 0.2 | 30.1 | 11.2 | 22.2 | 0.0 |
| cline | 1.3 | 1.6 | 47.8 | 24.0 | 72.2 | 100.0 |
| roo | 0.7 | 0.7 | 40.7 | 20.1 | 50.0 | 66.7 |
| gemini-cli | 0.1 | 0.1 | 20.9 | 5.5 | 27.8 | 0.0 |

In per cent. _harm_: solved runs that would have been ended. _noise_: solved runs with any verdict at all. _caught_: unsolved
runs that would have been ended. _saved_: their steps after that. _told_: runs a person judged stuck in which a verdict came
in time. _wrong_: runs judged not stuck that would have been ended. The peers are re-expressed over the same recorded steps.

The same with the thresholds fitted on all other sources, beside the thresholds as shipped:

| held out | harm | saved | harm, as shipped | saved, as shipped |
| --- | --- | --- | --- | --- |
| intercode bash | 2.0 | 30.8 | 0.0 | 20.8 |
| intercode ctf | 0.0 | 6.9 | 0.0 | 4.4 |
| intercode sql | 0.0 | 27.3 | 0.0 | 26.4 |
| mini-swe-agent | 0.0 | 0.0 | 0.0 | 0.0 |
| moatless | 0.0 | 2.1 | 0.0 | 2.1 |
| sola openhands | 0.0 | 8.6 | 0.0 | 8.6 |
| sola repairagent | 33.3 (1 of 3) | 32.4 | 0.0 | 27.4 |
| tau2-bench | 0.0 | 5.4 | 0.0 | 5.3 |

Fitting greedily ends three identical calls and four errors of a kind, which saves more and, on sources it has not seen,
ends work that would have succeeded. The thresholds shipped are the more patient ones for that reason; on these runs none
of them ends a solved run.
`;
