import { describe, expect, it } from 'vitest';
import { removeHostText } from '../../src/index.ts';

describe('what the user wrote', () => {
  it.each([
    [
      '<system-reminder>\nTools: 3\n</system-reminder><system-reminder>\nb\n</system-reminder>Fix the roof.',
      'Fix the roof.',
    ],
    ['<environment_context>\n  <cwd>/w</cwd>\n</environment_context>', ''],
    ['# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>', ''],
    ["This is the Qwen Code. We are setting up the context for our chat.\nToday's date is …", ''],
    [
      '<task>\nFix the roof.\n</task>\n<environment_details>\n# Files\na\n</environment_details>',
      'Fix the roof.',
    ],
    ['<user_info>\nOS: linux\n</user_info>\n<user_query>\nFix the roof.\n</user_query>', 'Fix the roof.'],
  ])('is left of a message: %s', (text, written) => {
    expect(removeHostText(text)).toBe(written);
  });

  it.each([
    'Fix the roof.',
    'Why does <system-reminder> appear in my log?',
    '<div>\n<p>Make this a list.</p>\n</div>',
    'Rename <user_id> to <id> in a.xml',
    'This is the Gemini CLI, which I want to compare.',
    '# AGENTS.md instructions for tabs are wrong: fix them',
  ])('is all of an ordinary message: %s', (text) => {
    expect(removeHostText(text)).toBe(text);
  });
});
