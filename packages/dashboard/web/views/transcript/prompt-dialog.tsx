import { useEffect, useState } from 'react';
import type { ConversationMessage } from '@pawl/core';
import { formatOutcome } from '@pawl/core/projections';
import type { ModelPrompt } from '../../app/api-types.ts';
import { formatCount } from '../../app/format.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import { CopyButton } from '../../app/widgets/copy-button.tsx';
import { ModalDialog } from '../../app/widgets/modal-dialog.tsx';
import { ToggleGroup } from '../../app/widgets/toggle-group.tsx';
import { JsonText, JsonView } from '../../app/widgets/json-view.tsx';
import { LongText } from '../../app/widgets/long-text.tsx';
import { LoadingState, ErrorMessage } from '../../app/widgets/state-messages.tsx';

type PromptDialogProps = Pick<SessionViewProps, 'api' | 'detail'> & {
  readonly seq: number;
  readonly close: () => void;
};

const promptForms = ['Pretty', 'JSON'] as const;

/** Shows the exact model request, with the injected and the dropped parts. */
export function PromptDialog({ api, detail, seq, close }: PromptDialogProps) {
  const { prompt, error } = useModelPrompt(api, detail.id, seq);
  const [form, setForm] = useState<(typeof promptForms)[number]>('Pretty');
  return (
    <ModalDialog title={`Model request of event ${seq}`} close={close} isWide>
      {error !== null && <ErrorMessage error={error} />}
      {prompt === null && error === null && <LoadingState what="the prompt" />}
      {prompt !== null && (
        <div className="prompt">
          <div className="bar">
            <ToggleGroup label="Form" options={promptForms} selected={form} onSelect={setForm} />
            <CopyButton label="Copy as JSON" text={() => JSON.stringify(prompt, null, 2)} />
            <span className="faint">
              {formatCount(prompt.messages.length, 'message')}, {formatCount(prompt.tools.length, 'tool')}
              {prompt.attempt > 1 && `, attempt ${prompt.attempt}`}
            </span>
          </div>
          {form === 'JSON' ? <JsonText value={prompt} /> : <PromptSections prompt={prompt} />}
        </div>
      )}
    </ModalDialog>
  );
}

function useModelPrompt(
  api: SessionViewProps['api'],
  id: string,
  seq: number,
): { readonly prompt: ModelPrompt | null; readonly error: unknown } {
  const [result, setResult] = useState<{ readonly prompt: ModelPrompt | null; readonly error: unknown }>({
    prompt: null,
    error: null,
  });
  useEffect(() => {
    const aborting = new AbortController();
    api.prompt(id, seq, aborting.signal).then(
      (prompt) => setResult({ prompt, error: null }),
      (error: unknown) => {
        if (!aborting.signal.aborted) setResult({ prompt: null, error });
      },
    );
    return () => aborting.abort();
  }, [api, id, seq]);
  return result;
}

function PromptSections({ prompt }: { readonly prompt: ModelPrompt }) {
  const { system, tools, messages, injected, dropped, missing } = prompt;
  return (
    <>
      {missing.length > 0 && (
        <p className="warn-text">
          Not recorded and therefore missing here: {missing.join(' and ')}. Everything else is exact.
        </p>
      )}
      <PromptSection title="System">
        {system === '' ? <p className="faint">none</p> : <LongText text={system} lines={60} />}
      </PromptSection>
      <details className="part">
        <summary>Tools ({tools.length})</summary>
        {tools.map((tool) => (
          <div key={tool.name} className="prompt-tool">
            <code>{toSafeLine(tool.name)}</code> <span>{toSafeLine(tool.description, 400)}</span>
            <JsonView value={tool.parameters} expandedDepth={0} />
          </div>
        ))}
      </details>
      {dropped > 0 && (
        <p className="warn-text">Not sent because of compaction: {formatCount(dropped, 'older message')}.</p>
      )}
      {messages.map((message, index) => (
        <MessageSection key={index} message={message} />
      ))}
      {injected.state !== null && (
        <PromptSection title="Appended: current state" tone="phase">
          <LongText text={injected.state} lines={60} />
        </PromptSection>
      )}
      {injected.advice !== null && injected.state === null && (
        <PromptSection title="Appended: governor advice" tone="governor">
          <LongText text={injected.advice} />
        </PromptSection>
      )}
    </>
  );
}

function MessageSection({ message }: { readonly message: ConversationMessage }) {
  switch (message.role) {
    case 'user':
      return (
        <PromptSection title="User" tone="user">
          <LongText text={message.text} />
        </PromptSection>
      );
    case 'assistant':
      return (
        <PromptSection title="Assistant" tone="model">
          {message.text !== '' && <LongText text={message.text} />}
          {message.calls.map(({ id, tool, args }) => (
            <div key={id}>
              <code>{toSafeLine(tool)}</code> <JsonView value={args} expandedDepth={1} />
            </div>
          ))}
        </PromptSection>
      );
    case 'tool':
      return (
        <PromptSection
          title={`Result of ${toSafeLine(message.tool)}`}
          tone={message.outcome.ok ? 'tools' : 'halted'}
        >
          <LongText text={formatOutcome(message.outcome)} mono lines={16} />
        </PromptSection>
      );
    default:
      return message satisfies never;
  }
}

function PromptSection({
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
