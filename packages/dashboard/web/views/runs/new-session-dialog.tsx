import { useState } from 'react';
import { createRequestId, buildCurlCommand, type ApiClient } from '../../app/api.ts';
import type { CreateSessionRequest } from '../../app/api-types.ts';
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
  const renderField = ({ key, ...field }: OptionalField) => (
    <FormField key={key} {...field} value={fields[key]} set={(value) => set({ [key]: value })} />
  );
  return (
    <div className="form-two">
      {settingFields.map(renderField)}
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
      {limitFields.map(renderField)}
    </div>
  );
}

type OptionalFieldsProps = {
  readonly fields: NewSessionForm;
  readonly set: (change: Partial<NewSessionForm>) => void;
};

type OptionalField = Pick<FormFieldProps, 'name' | 'empty' | 'isNumber'> & {
  readonly key: Exclude<keyof NewSessionForm, 'goal' | 'mode'>;
};

const settingFields: readonly OptionalField[] = [
  { key: 'dir', name: 'Folder', empty: 'folder of the dashboard' },
  { key: 'model', name: 'Model', empty: 'configured default' },
  { key: 'profile', name: 'Profile', empty: 'configured default' },
];

const limitFields: readonly OptionalField[] = [
  { key: 'modelCalls', name: 'Max. model calls', empty: 'no limit', isNumber: true },
  { key: 'tokens', name: 'Max. tokens', empty: 'no limit', isNumber: true },
  { key: 'minutes', name: 'Max. minutes', empty: 'no limit', isNumber: true },
];

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
