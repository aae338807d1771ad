import { useEffect, useState } from 'react';
import type { Message } from '@pawl/core';
import type { Prompt } from '../../app/api-types.ts';
import { counted } from '../../app/format.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { visibleLine } from '../../app/visible.ts';
import { CopyButton } from '../../app/widgets/copy-button.tsx';
import { Dialog } from '../../app/widgets/dialog.tsx';
import { Either } from '../../app/widgets/either.tsx';
import { JsonText, JsonView } from '../../app/widgets/json-view.tsx';
import { LongText } from '../../app/widgets/long-text.tsx';
import { Loading, Trouble } from '../../app/widgets/notes.tsx';
import { outcomeText } from '../events/events-model.ts';

type PromptDialogProps = Pick<SessionViewProps, 'api' | 'detail'> & {
  readonly seq: number;
  readonly close: () => void;
};

const forms = ['Pretty', 'JSON'] as const;

/** What the model was sent, to the letter, with what was put in and left out. */
export function PromptDialog({ api, detail, seq, close }: PromptDialogProps) {
  const { prompt, error } = usePrompt(api, detail.id, seq);
  const [form, setForm] = useState<(typeof forms)[number]>('Pretty');
  return (
    <Dialog title={`What the model was sent after event ${seq}`} close={close} isWide>
      {error !== null && <Trouble error={error} />}
      {prompt === null && error === null && <Loading what="the prompt" />}
      {prompt !== null && (
        <div className="prompt">
          <div className="bar">
            <Either label="Form" of={forms} chosen={form} choose={setForm} />
            <CopyButton label="Copy as JSON" text={() => JSON.stringify(prompt, null, 2)} />
            <span className="faint">
              {counted(prompt.messages.length, 'message')}, {counted(prompt.tools.length, 'tool')}
              {prompt.attempt > 1 && `, attempt ${prompt.attempt}`}
            </span>
          </div>
          {form === 'JSON' ? <JsonText value={prompt} /> : <Pretty prompt={prompt} />}
        </div>
      )}
    </Dialog>
  );
}

function usePrompt(
  api: SessionViewProps['api'],
  id: string,
  seq: number,
): { readonly prompt: Prompt | null; readonly error: unknown } {
  const [got, setGot] = useState<{ readonly prompt: Prompt | null; readonly error: unknown }>({
    prompt: null,
    error: null,
  });
  useEffect(() => {
    const leaving = new AbortController();
    api.prompt(id, seq, leaving.signal).then(
      (prompt) => setGot({ prompt, error: null }),
      (error: unknown) => {
        if (!leaving.signal.aborted) setGot({ prompt: null, error });
      },
    );
    return () => leaving.abort();
  }, [api, id, seq]);
  return got;
}

function Pretty({ prompt }: { readonly prompt: Prompt }) {
  const { system, tools, messages, injected, dropped, missing } = prompt;
  return (
    <>
      {missing.length > 0 && (
        <p className="warn-text">
          Not on record, and so left out here: {missing.join(' and ')}. All else is as it was sent.
        </p>
      )}
      <Part title="System">
        {system === '' ? <p className="faint">nothing</p> : <LongText text={system} lines={60} />}
      </Part>
      <details className="part">
        <summary>Tools ({tools.length})</summary>
        {tools.map((tool) => (
          <div key={tool.name} className="prompt-tool">
            <code>{visibleLine(tool.name)}</code> <span>{visibleLine(tool.description, 400)}</span>
            <JsonView value={tool.parameters} open={0} />
          </div>
        ))}
      </details>
      {dropped > 0 && (
        <p className="warn-text">Not sent, since in storage by then: {counted(dropped, 'older message')}.</p>
      )}
      {messages.map((message, index) => (
        <MessagePart key={index} message={message} />
      ))}
      {injected.state !== null && (
        <Part title="Put at the very bottom: where it stands" tone="phase">
          <LongText text={injected.state} lines={60} />
        </Part>
      )}
      {injected.advice !== null && injected.state === null && (
        <Part title="Put at the very bottom: advice of the governor" tone="governor">
          <LongText text={injected.advice} />
        </Part>
      )}
    </>
  );
}

function MessagePart({ message }: { readonly message: Message }) {
  switch (message.role) {
    case 'user':
      return (
        <Part title="User" tone="user">
          <LongText text={message.text} />
        </Part>
      );
    case 'assistant':
      return (
        <Part title="Assistant" tone="model">
          {message.text !== '' && <LongText text={message.text} />}
          {message.calls.map(({ id, tool, args }) => (
            <div key={id}>
              <code>{visibleLine(tool)}</code> <JsonView value={args} open={1} />
            </div>
          ))}
        </Part>
      );
    case 'tool':
      return (
        <Part title={`Result of ${visibleLine(message.tool)}`} tone={message.outcome.ok ? 'tools' : 'halted'}>
          <LongText text={outcomeText(message.outcome)} mono lines={16} />
        </Part>
      );
    default:
      return message satisfies never;
  }
}

function Part({
  title,
  tone = 'check',
  children,
}: {
  readonly title: string;
  readonly tone?: string;
  readonly children: React.ReactNode;
}) {
  return (
    <section className={`part tone-${tone}`}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}
