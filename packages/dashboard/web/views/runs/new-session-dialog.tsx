import { useState } from 'react';
import { createRequestId, type ApiClient } from '../../app/api.ts';
import type { CreateSessionRequest } from '../../app/api-types.ts';
import { buildCurlCommand } from '../../app/curl-command.ts';
import { formatSessionAddress } from '../../app/page-route.ts';
import { openAddress } from '../../app/router.ts';
import { CopyButton } from '../../app/widgets/copy-button.tsx';
import { ModalDialog } from '../../app/widgets/modal-dialog.tsx';
import { ErrorMessage } from '../../app/widgets/state-messages.tsx';

type NewSessionForm = {
  readonly goal: string;
  readonly dir: string;
  readonly model: string;
  readonly profile: string;
  readonly mode: '' | NonNullable<CreateSessionRequest['mode']>;
  readonly modelCalls: string;
  readonly tokens: string;
  readonly minutes: string;
};

const emptyForm: NewSessionForm = {
  goal: '',
  dir: '',
  model: '',
  profile: '',
  mode: '',
  modelCalls: '',
  tokens: '',
  minutes: '',
};

/** Builds the request from the form. Empty fields fall back to the settings. */
function toCreateRequest(fields: NewSessionForm, id: string): CreateSessionRequest {
  const { goal, dir, model, profile, mode, modelCalls, tokens, minutes } = fields;
  const budgets = {
    ...(modelCalls !== '' && { modelCalls: Number(modelCalls) }),
    ...(tokens !== '' && { tokens: Number(tokens) }),
    ...(minutes !== '' && { wallMs: Number(minutes) * 60_000 }),
  };
  return {
    requestId: id,
    goal: goal.trim(),
    ...(dir.trim() !== '' && { dir: dir.trim() }),
    ...(model.trim() !== '' && { model: model.trim() }),
    ...(profile.trim() !== '' && { profile: profile.trim() }),
    ...(mode !== '' && { mode }),
    ...(Object.keys(budgets).length > 0 && { budgets }),
  };
}

/** Creates a session. The request id makes a repeated submit idempotent. */
export function NewSessionDialog({ api, close }: { readonly api: ApiClient; readonly close: () => void }) {
  const [fields, setFields] = useState(emptyForm);
  const [id] = useState(createRequestId);
  const [error, setError] = useState<unknown>(null);
  const [isSending, setSending] = useState(false);
  const set = (change: Partial<NewSessionForm>): void => setFields({ ...fields, ...change });
  const create = async (): Promise<void> => {
    setSending(true);
    try {
      const session = await api.create(toCreateRequest(fields, id));
      close();
      openAddress(formatSessionAddress(session));
    } catch (problem) {
      setError(problem);
      setSending(false);
    }
  };
  return (
    <ModalDialog title="New session" close={close}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        {error !== null && <ErrorMessage error={error} />}
        <label>
          Goal
          <textarea
            required
            rows={4}
            value={fields.goal}
            onChange={(event) => set({ goal: event.target.value })}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
                event.currentTarget.form?.requestSubmit();
            }}
          />
        </label>
        <OptionalFields fields={fields} set={set} />
        <div className="form-end">
          <CopyButton
            label="Copy as cURL"
            text={() => buildCurlCommand('/sessions', toCreateRequest(fields, id))}
          />
          <button type="button" onClick={close}>
            Back
          </button>
          <button type="submit" className="primary" disabled={isSending || fields.goal.trim() === ''}>
            {isSending ? 'Starting…' : 'Start'}
          </button>
        </div>
      </form>
    </ModalDialog>
  );
}

/** Fields that default to the settings. */
function OptionalFields({ fields, set }: OptionalFieldsProps) {
  return (
    <div className="form-two">
      <FormField
        name="Folder"
        empty="folder of the dashboard"
        value={fields.dir}
        set={(dir) => set({ dir })}
      />
      <FormField
        name="Model"
        empty="configured default"
        value={fields.model}
        set={(model) => set({ model })}
      />
      <FormField
        name="Profile"
        empty="configured default"
        value={fields.profile}
        set={(profile) => set({ profile })}
      />
      <label>
        Permissions
        <select
          value={fields.mode}
          onChange={(event) => set({ mode: event.target.value as NewSessionForm['mode'] })}
        >
          <option value="">configured default</option>
          <option value="read-only">read-only</option>
          <option value="ask">ask before changing files or running commands</option>
          <option value="auto-edit">edit files, ask before running commands</option>
          <option value="full-auto">allow everything</option>
        </select>
      </label>
      <FormField
        isNumber
        name="Max. model calls"
        empty="no limit"
        value={fields.modelCalls}
        set={(modelCalls) => set({ modelCalls })}
      />
      <FormField
        isNumber
        name="Max. tokens"
        empty="no limit"
        value={fields.tokens}
        set={(tokens) => set({ tokens })}
      />
      <FormField
        isNumber
        name="Max. minutes"
        empty="no limit"
        value={fields.minutes}
        set={(minutes) => set({ minutes })}
      />
    </div>
  );
}

type OptionalFieldsProps = {
  readonly fields: NewSessionForm;
  readonly set: (change: Partial<NewSessionForm>) => void;
};

type FormFieldProps = {
  readonly name: string;
  /** The default that applies when the field is empty. */
  readonly empty: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly isNumber?: boolean;
};

function FormField({ name, empty: placeholder, value, set, isNumber = false }: FormFieldProps) {
  return (
    <label>
      {name}
      <input
        type={isNumber ? 'number' : 'text'}
        {...(isNumber && { min: 1 })}
        placeholder={placeholder}
        value={value}
        onChange={(event) => set(event.target.value)}
      />
    </label>
  );
}
