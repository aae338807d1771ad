import { useEffect, useRef, useState, type DragEvent } from 'react';
import type { ImportResult } from '../../app/api-types.ts';
import { formatCount } from '../../app/format.ts';
import { useTitle } from '../../app/router.ts';
import type { PageProps } from '../../app/view-props.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import { ErrorMessage } from '../../app/widgets/state-messages.tsx';
import {
  sortBySeverity,
  formatImportResult,
  auditSeverityLabels,
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
export function ImportPage({ api, storeImported, open }: PageProps) {
  const [files, setFiles] = useState<readonly ImportedFile[]>(lastImportedFiles);
  const [currentFile, setCurrentFile] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  useTitle('Import');
  useEffect(() => {
    lastImportedFiles = files;
  }, [files]);
  const importBody = async (name: string, body: Blob | string): Promise<void> => {
    setCurrentFile(name);
    setError(null);
    try {
      const result = await api.importFile(name, body);
      const addresses = storeImported(result.runs);
      const rows = result.runs.map((run, index) => ({
        ...toImportedRunRow(run),
        address: addresses[index] ?? '#/import',
      }));
      const file = {
        name,
        rows: sortBySeverity(rows),
        problems: result.problems,
        text: formatImportResult(result),
      };
      setFiles((before) => [file, ...before]);
    } catch (reason) {
      setError(reason);
    } finally {
      setCurrentFile(null);
    }
  };
  const importFiles = async (selectedFiles: Iterable<File>): Promise<void> => {
    // Sequential, because each file may be as large as the server accepts.
    for (const file of selectedFiles) await importBody(file.name, file);
  };
  return (
    <div className="wide-page">
      <h1>Import</h1>
      <FileDropZone
        importFiles={(selectedFiles) => void importFiles(selectedFiles)}
        currentFile={currentFile}
      />
      <PasteForm importText={(text) => void importBody('pasted', text)} />
      {error !== null && <ErrorMessage error={error} />}
      {files.map((file, index) => (
        <ImportedFileSection key={files.length - index} file={file} open={open} />
      ))}
    </div>
  );
}

function FileDropZone({
  importFiles,
  currentFile,
}: {
  readonly importFiles: (files: Iterable<File>) => void;
  readonly currentFile: string | null;
}) {
  const [isDraggedOver, setDraggedOver] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setDraggedOver(false);
    importFiles(event.dataTransfer.files);
  };
  return (
    <div
      className={isDraggedOver ? 'import-drop over' : 'import-drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setDraggedOver(true);
      }}
      onDragLeave={() => setDraggedOver(false)}
      onDrop={onDrop}
    >
      <p className="import-big">
        {currentFile === null ? 'Drop recorded runs here' : `Importing ${toSafeLine(currentFile, 60)}…`}
      </p>
      <p>
        or{' '}
        <button type="button" onClick={() => picker.current?.click()} disabled={currentFile !== null}>
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
          importFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <p className="import-quiet">
        Supported: sessions from <code>pawl export</code>, and all formats of <code>pawl audit</code>: OpenAI
        and Anthropic messages, logs of Claude Code and Codex, SWE-agent, OpenHands, LangChain, the AI SDK and
        OpenTelemetry. Nothing is stored: imported runs are lost when this page is closed.
      </p>
    </div>
  );
}

function PasteForm({ importText }: { readonly importText: (text: string) => void }) {
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
      <button type="button" disabled={text.trim() === ''} onClick={() => importText(text)}>
        Import
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
                <th scope="col">governor verdict</th>
                <th scope="col">format</th>
                <th scope="col" className="number">
                  events
                </th>
                <th scope="col">solved</th>
                <th scope="col">views</th>
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
  const { name, model, format, events, success, severity, worstVerdict, verdicts, cut, address } = row;
  const views = ['transcript', 'timeline', 'why'] as const;
  return (
    <tr>
      <th scope="row">
        <a href={address}>{toSafeLine(name, 80)}</a>
        {model !== null && <span className="import-quiet"> {toSafeLine(model, 50)}</span>}
        {cut !== null && <span className="import-cut">{toSafeLine(cut, 160)}</span>}
      </th>
      <td>
        <span className={`import-severity ${severity}`}>{severity}</span>{' '}
        {worstVerdict === null
          ? auditSeverityLabels[severity]
          : toSafeLine(`${worstVerdict.rule}: ${worstVerdict.reason}`, 160)}
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
            onClick={() => open(buildViewAddress(address, view, worstVerdict?.seq ?? null))}
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
