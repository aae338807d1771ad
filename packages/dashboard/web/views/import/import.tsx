import { useEffect, useRef, useState, type DragEvent } from 'react';
import type { Imports } from '../../app/api-types.ts';
import { counted } from '../../app/format.ts';
import { useTitle } from '../../app/use-title.ts';
import type { PageProps } from '../../app/view-props.ts';
import { visibleLine } from '../../app/visible.ts';
import { Trouble } from '../../app/widgets/notes.tsx';
import { byGravity, importText, levelWords, runRow, type RunRow } from './import-model.ts';
import './import.css';

type ReadFile = {
  readonly name: string;
  readonly rows: readonly (RunRow & { readonly address: string })[];
  readonly problems: Imports['problems'];
  readonly text: string;
};

/** What was read while the page is open, so that coming back from a run does not lose the list. */
let readBefore: readonly ReadFile[] = [];

/** Recorded runs of this and other agents, dropped in and looked at like a session of one's own. */
export function ImportPage({ api, keepImported, open }: PageProps) {
  const [files, setFiles] = useState<readonly ReadFile[]>(readBefore);
  const [reading, setReading] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  useTitle('Import');
  useEffect(() => {
    readBefore = files;
  }, [files]);
  const read = async (name: string, body: Blob | string): Promise<void> => {
    setReading(name);
    setError(null);
    try {
      const imports = await api.importFile(name, body);
      const addresses = keepImported(imports.runs);
      const rows = imports.runs.map((run, index) => ({
        ...runRow(run),
        address: addresses[index] ?? '#/import',
      }));
      const file = { name, rows: byGravity(rows), problems: imports.problems, text: importText(imports) };
      setFiles((before) => [file, ...before]);
    } catch (reason) {
      setError(reason);
    } finally {
      setReading(null);
    }
  };
  const readAll = async (given: Iterable<File>): Promise<void> => {
    // One after the other: each may be as large as the server takes.
    for (const file of given) await read(file.name, file);
  };
  return (
    <div className="wide-page">
      <h1>Import</h1>
      <Drop readAll={(given) => void readAll(given)} reading={reading} />
      <Paste read={(text) => void read('pasted', text)} />
      {error !== null && <Trouble error={error} />}
      {files.map((file, index) => (
        <FileShown key={files.length - index} file={file} open={open} />
      ))}
    </div>
  );
}

function Drop({
  readAll,
  reading,
}: {
  readonly readAll: (files: Iterable<File>) => void;
  readonly reading: string | null;
}) {
  const [isOver, setOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    readAll(event.dataTransfer.files);
  };
  return (
    <div
      className={isOver ? 'import-drop over' : 'import-drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <p className="import-big">
        {reading === null ? 'Drop recorded runs here' : `Reading ${visibleLine(reading, 60)}…`}
      </p>
      <p>
        or{' '}
        <button type="button" onClick={() => picker.current?.click()} disabled={reading !== null}>
          choose files
        </button>
      </p>
      <input
        ref={picker}
        type="file"
        multiple
        className="visually-hidden"
        tabIndex={-1}
        aria-label="Files with recorded runs"
        onChange={(event) => {
          readAll([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <p className="import-quiet">
        Sessions of <code>pawl export</code>, and what <code>pawl audit</code> reads: messages of OpenAI and
        Anthropic, logs of Claude Code and Codex, SWE-agent, OpenHands, LangChain, the AI SDK, OpenTelemetry.
        Nothing is stored: a run is there until this page is left.
      </p>
    </div>
  );
}

function Paste({ read }: { readonly read: (text: string) => void }) {
  const [text, setText] = useState('');
  return (
    <details className="import-paste">
      <summary>Paste a run instead</summary>
      <textarea
        value={text}
        rows={6}
        spellCheck={false}
        aria-label="A recorded run as JSON or JSON lines"
        placeholder='[{"role": "user", "content": "…"}, …]'
        onChange={(event) => setText(event.target.value)}
      />
      <button type="button" disabled={text.trim() === ''} onClick={() => read(text)}>
        Read it
      </button>
    </details>
  );
}

const problemsMax = 20;

function FileShown({
  file: { name, rows, problems, text },
  open,
}: { readonly file: ReadFile } & Pick<PageProps, 'open'>) {
  return (
    <section className="import-file" aria-label={`Runs of ${visibleLine(name, 60)}`}>
      <h2>
        {visibleLine(name, 80)} <span role="status">{text}</span>
      </h2>
      {rows.length > 0 && (
        <div className="framed">
          <table className="listing">
            <thead>
              <tr>
                <th scope="col">run</th>
                <th scope="col">what the governor says</th>
                <th scope="col">format</th>
                <th scope="col" className="number">
                  events
                </th>
                <th scope="col">solved</th>
                <th scope="col">look at it</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <RunShown key={row.address} row={row} open={open} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {problems.length > 0 && (
        <details className="import-problems">
          <summary>{counted(problems.length, 'problem')}</summary>
          <ul>
            {problems.slice(0, problemsMax).map(({ line, message }, index) => (
              <li key={index}>
                {line !== null && `line ${line}: `}
                {visibleLine(message, 300)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function RunShown({
  row,
  open,
}: { readonly row: RunRow & { readonly address: string } } & Pick<PageProps, 'open'>) {
  const { name, model, format, events, success, level, finding, verdicts, cut, address } = row;
  const views = ['transcript', 'timeline', 'why'] as const;
  return (
    <tr>
      <th scope="row">
        <a href={address}>{visibleLine(name, 80)}</a>
        {model !== null && <span className="import-quiet"> {visibleLine(model, 50)}</span>}
        {cut !== null && <span className="import-cut">{visibleLine(cut, 160)}</span>}
      </th>
      <td>
        <span className={`import-level ${level}`}>{level}</span>{' '}
        {finding === null ? levelWords[level] : visibleLine(`${finding.rule}: ${finding.reason}`, 160)}
        {verdicts > 1 && <span className="import-quiet"> and {verdicts - 1} more</span>}
      </td>
      <td>{format}</td>
      <td className="number">{events.toLocaleString('en')}</td>
      <td>{success === null ? '' : success ? 'yes' : 'no'}</td>
      <td className="import-views">
        {views.map((view) => (
          <button
            key={view}
            type="button"
            className="small"
            onClick={() => open(addressIn(address, view, finding?.seq ?? null))}
          >
            {view}
          </button>
        ))}
      </td>
    </tr>
  );
}

/** Another view on the same run; the one that tells why opens at the verdict. */
function addressIn(address: string, view: string, seq: number | null): string {
  const base = address.replace(/\/[^/]*$/u, `/${view}`);
  return view === 'why' && seq !== null ? `${base}?at=${seq}` : base;
}
