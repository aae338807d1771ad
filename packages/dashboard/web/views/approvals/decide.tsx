import { useState } from 'react';
import type { Command } from '../../app/api-types.ts';
import { toast, toastError } from '../../app/toasts.tsx';

type DecideProps = {
  readonly callId: string;
  readonly request: number;
  readonly send: (command: Command) => Promise<void>;
  readonly decided?: (decision: 'allow' | 'deny') => void;
};

/** Allow a call, or deny it with a word to the model. */
export function Decide({ callId, request, send, decided }: DecideProps) {
  const [reason, setReason] = useState('');
  const [isSending, setSending] = useState(false);
  const decide = (decision: 'allow' | 'deny'): void => {
    setSending(true);
    const why = reason.trim();
    send({ kind: 'decide', callId, request, decision, ...(why !== '' && { reason: why }) }).then(
      () => {
        toast(decision === 'allow' ? 'Allowed.' : 'Denied.');
        decided?.(decision);
      },
      (error: unknown) => {
        setSending(false);
        toastError(error);
      },
    );
  };
  return (
    <div className="decide">
      <input
        value={reason}
        aria-label="A word to the model about it"
        placeholder="A word to the model about it (optional)"
        onChange={(event) => setReason(event.target.value)}
      />
      <button type="button" className="good" disabled={isSending} onClick={() => decide('allow')}>
        Allow
      </button>
      <button type="button" className="danger" disabled={isSending} onClick={() => decide('deny')}>
        Deny
      </button>
    </div>
  );
}
