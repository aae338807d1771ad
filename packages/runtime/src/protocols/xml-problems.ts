import { formatShortValue } from '../text/one-line.ts';
import type { ReplyProblem } from './decision.ts';

const cdataHint = 'Put text that contains tags between <![CDATA[ and ]]>.';

export const truncatedActionProblem: ReplyProblem = {
  problem: 'the reply ends before the action is complete',
  location: '<action>',
  hint: 'Send the whole action again and close it with </action></agent>. Make it shorter if it did not fit.',
};

export function createBrokenTagProblem(name: string): ReplyProblem {
  return {
    problem: `the tag <${name}> is incomplete or has an invalid attribute`,
    location: `<${name}>`,
    hint: 'Write attributes as name="text" without < in it, or use elements instead.',
  };
}

export function createStrayTagProblem(name: string): ReplyProblem {
  return { problem: `</${name}> closes nothing`, location: `</${name}>`, hint: cdataHint };
}

export function createMisplacedTagProblem(name: string): ReplyProblem {
  return {
    problem: `<${name}> is outside <action>`,
    location: `<${name}>`,
    hint: 'Put it inside the <action> that it belongs to.',
  };
}

export function createDuplicateTagProblem(name: string): ReplyProblem {
  return {
    problem: `<${name}> is given twice`,
    location: '<action>',
    hint: `Give each parameter once. ${cdataHint}`,
  };
}

export function createLooseTextProblem(text: string): ReplyProblem {
  return {
    problem: `the text ${formatShortValue(text)} belongs to no parameter`,
    location: '<action>',
    hint: `Put every value into the element of its parameter. ${cdataHint}`,
  };
}
