import { useState } from 'react';
import { requestId, type Api } from '../../app/api.ts';
import type { CreateSession } from '../../app/api-types.ts';
import { curlFor } from '../../app/curl.ts';
import { sessionAddress } from '../../app/route.ts';
import { open } from '../../app/router.ts';
import { CopyButton } from '../../app/widgets/copy-button.tsx';
import { Dialog } from '../../app/widgets/dialog.tsx';
import { Trouble } from '../../app/widgets/notes.tsx';

type Fields = {
  readonly goal: string;
  readonly dir: string;
  readonly model: string;
  readonly profile: string;
  readonly mode: '' | NonNullable<CreateSession['mode']>;
  readonly modelCalls: string;
  readonly tokens: string;
  readonly minutes: string;
};

const empty: Fields = {
  goal: '',
  dir: '',
  model: '',
  profile: '',
  mode: '',
  modelCalls: '',
  tokens: '',
  minutes: '',
};

/** What the form asks the server for. What is left empty is left to the settings. */
function wantedFrom(fields: Fields, id: string): CreateSession {
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

/** Begins a session. Sent twice, it is begun once: the request has a name of its own. */
export function NewSession({ api, close }: { readonly api: Api; readonly close: () => void }) {
  const [fields, setFields] = useState(empty);
  const [id] = useState(requestId);
  const [error, setError] = useState<unknown>(null);
  const [isSending, setSending] = useState(false);
  const set = (change: Partial<Fields>): void => setFields({ ...fields, ...change });
  const begin = async (): Promise<void> => {
    setSending(true);
    try {
      const made = await api.create(wantedFrom(fields, id));
      close();
      open(sessionAddress(made));
    } catch (problem) {
      setError(problem);
      setSending(false);
    }
  };
  return (
    <Dialog title="New session" close={close}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void begin();
        }}
      >
        {error !== null && <Trouble error={error} />}
        <label>
          What is to be done
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
        <Choices fields={fields} set={set} />
        <div className="form-end">
          <CopyButton label="Copy as cURL" text={() => curlFor('/sessions', wantedFrom(fields, id))} />
          <button type="button" onClick={close}>
            Leave it
          </button>
          <button type="submit" className="primary" disabled={isSending || fields.goal.trim() === ''}>
            {isSending ? 'Beginning…' : 'Begin'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** All that may be left to the settings. */
function Choices({ fields, set }: ChoicesProps) {
  return (
    <div className="form-two">
      <Field
        name="Folder"
        empty="where the dashboard was started"
        value={fields.dir}
        set={(dir) => set({ dir })}
      />
      <Field name="Model" empty="as configured" value={fields.model} set={(model) => set({ model })} />
      <Field
        name="Profile"
        empty="as configured"
        value={fields.profile}
        set={(profile) => set({ profile })}
      />
      <label>
        What it may do
        <select value={fields.mode} onChange={(event) => set({ mode: event.target.value as Fields['mode'] })}>
          <option value="">as configured</option>
          <option value="read-only">look, nothing else</option>
          <option value="ask">ask before it changes or runs anything</option>
          <option value="auto-edit">edit files, ask for the rest</option>
          <option value="full-auto">everything</option>
        </select>
      </label>
      <Field
        isNumber
        name="Model calls at most"
        empty="no limit"
        value={fields.modelCalls}
        set={(modelCalls) => set({ modelCalls })}
      />
      <Field
        isNumber
        name="Tokens at most"
        empty="no limit"
        value={fields.tokens}
        set={(tokens) => set({ tokens })}
      />
      <Field
        isNumber
        name="Minutes at most"
        empty="no limit"
        value={fields.minutes}
        set={(minutes) => set({ minutes })}
      />
    </div>
  );
}

type ChoicesProps = { readonly fields: Fields; readonly set: (change: Partial<Fields>) => void };

type FieldProps = {
  readonly name: string;
  /** What holds when nothing is written. */
  readonly empty: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly isNumber?: boolean;
};

function Field({ name, empty: placeholder, value, set, isNumber = false }: FieldProps) {
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
