import { useEffect, useRef, useState, type DragEvent } from 'react';
import type { ImportResult } from '../../app/api-types.ts';
import { formatCount } from '../../app/format.ts';
import { useTitle } from '../../app/use-title.ts';
import type { PageProps } from '../../app/view-props.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import { ErrorMessage } from '../../app/widgets/state-messages.tsx';
import {
  sortBySeverity,
  formatImportResult,
  auditLevelLabels,
  toImportedRunRow,
  type ImportedRunRow,
} from './import-model.ts';
import './import.css';

type ImportedFile = {
  readonly name: string;
  readonly rows: readonly (ImportedRunRow & { readonly address: string })[];
  readonly problems: ImportResult['problems'];
  readonly text: string;
};

/** The files imported so far, so that returning from a run does not lose the list. */
let lastImportedFiles: readonly ImportedFile[] = [];

/** Imports recorded runs of Pawl and other agents, and opens them like stored sessions. */
export function ImportPage({ api, keepImported, open }: PageProps) {
  const [files, setFiles] = useState<readonly ImportedFile[]>(lastImportedFiles);
  const [reading, setReading] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  useTitle('Import');
  useEffect(() => {
    lastImportedFiles = files;
  }, [files]);
  const read = async (name: string, body: Blob | string): Promise<void> => {
    setReading(name);
    setError(null);
    try {
      const imports = await api.importFile(name, body);
      const addresses = keepImported(imports.runs);
      const rows = imports.runs.map((run, index) => ({
        ...toImportedRunRow(run),
        address: addresses[index] ?? '#/import',
      }));
      const file = {
        name,
        rows: sortBySeverity(rows),
        problems: imports.problems,
        text: formatImportResult(imports),
      };
      setFiles((before) => [file, ...before]);
    } catch (reason) {
      setError(reason);
    } finally {
      setReading(null);
    }
  };
  const readAll = async (given: Iterable<File>): Promise<void> => {
    // Sequential, because each file may be as large as the server accepts.
    for (const file of given) await read(file.name, file);
  };
  return (
    <div className="wide-page">
      <h1>Import</h1>
      <FileDropZone readAll={(given) => void readAll(given)} reading={reading} />
      <PasteForm read={(text) => void read('pasted', text)} />
      {error !== null && <ErrorMessage error={error} />}
      {files.map((file, index) => (
        <ImportedFileSection key={files.length - index} file={file} open={open} />
      ))}
    </div>
  );
}

function FileDropZone({
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
        {reading === null ? 'Drop recorded runs here' : `Reading ${toSafeLine(reading, 60)}…`}
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

function PasteForm({ read }: { readonly read: (text: string) => void }) {
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

const shownProblemsMax = 20;

function ImportedFileSection({
  file: { name, rows, problems, text },
  open,
}: { readonly file: ImportedFile } & Pick<PageProps, 'open'>) {
  return (
    <section className="import-file" aria-label={`Runs of ${toSafeLine(name, 60)}`}>
      <h2>
        {toSafeLine(name, 80)} <span role="status">{text}</span>
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
                <ImportedRunTableRow key={row.address} row={row} open={open} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {problems.length > 0 && (
        <details className="import-problems">
          <summary>{formatCount(problems.length, 'problem')}</summary>
          <ul>
            {problems.slice(0, shownProblemsMax).map(({ line, message }, index) => (
              <li key={index}>
                {line !== null && `line ${line}: `}
                {toSafeLine(message, 300)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function ImportedRunTableRow({
  row,
  open,
}: { readonly row: ImportedRunRow & { readonly address: string } } & Pick<PageProps, 'open'>) {
  const { name, model, format, events, success, level, finding, verdicts, cut, address } = row;
  const views = ['transcript', 'timeline', 'why'] as const;
  return (
    <tr>
      <th scope="row">
        <a href={address}>{toSafeLine(name, 80)}</a>
        {model !== null && <span className="import-quiet"> {toSafeLine(model, 50)}</span>}
        {cut !== null && <span className="import-cut">{toSafeLine(cut, 160)}</span>}
      </th>
      <td>
        <span className={`import-level ${level}`}>{level}</span>{' '}
        {finding === null ? auditLevelLabels[level] : toSafeLine(`${finding.rule}: ${finding.reason}`, 160)}
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
            onClick={() => open(buildViewAddress(address, view, finding?.seq ?? null))}
          >
            {view}
          </button>
        ))}
      </td>
    </tr>
  );
}

/** Returns the address of another view of the same run; the "why" view opens at the verdict. */
function buildViewAddress(address: string, view: string, seq: number | null): string {
  const base = address.replace(/\/[^/]*$/u, `/${view}`);
  return view === 'why' && seq !== null ? `${base}?at=${seq}` : base;
}
