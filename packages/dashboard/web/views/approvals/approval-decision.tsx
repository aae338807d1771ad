import { useState } from 'react';
import type { CommandRequest } from '../../app/api-types.ts';
import { showToast, showErrorToast } from '../../app/widgets/toasts.tsx';

type ApprovalDecisionProps = {
  readonly callId: string;
  readonly request: number;
  readonly send: (command: CommandRequest) => Promise<void>;
  readonly onDecided?: (decision: 'allow' | 'deny') => void;
};

/** Allows a tool call, or denies it with an optional reason for the model. */
export function ApprovalDecision({ callId, request, send, onDecided }: ApprovalDecisionProps) {
  const [reason, setReason] = useState('');
  const [isSending, setSending] = useState(false);
  const decide = (decision: 'allow' | 'deny'): void => {
    setSending(true);
    const trimmed = reason.trim();
    send({ kind: 'decide', callId, request, decision, ...(trimmed !== '' && { reason: trimmed }) }).then(
      () => {
        showToast(decision === 'allow' ? 'Allowed.' : 'Denied.');
        onDecided?.(decision);
      },
      (error: unknown) => {
        setSending(false);
        showErrorToast(error);
      },
    );
  };
  return (
    <div className="decide">
      <input
        value={reason}
        aria-label="Reason for the model"
        placeholder="Reason for the model (optional)"
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
