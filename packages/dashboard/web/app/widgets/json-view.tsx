import { useState } from 'react';
import { escapeUnsafeText, toSafeLine } from '../safe-text.ts';
import { LongText } from './long-text.tsx';

/** Collapsible JSON tree; collapsed values are not rendered. */
export function JsonView({
  value,
  expandedDepth: open = 2,
}: {
  readonly value: unknown;
  readonly expandedDepth?: number;
}) {
  return (
    <div className="json">
      {typeof value === 'object' && value !== null ? (
        <JsonChildren value={value} expandedDepth={open} />
      ) : (
        <JsonNode name={null} value={value} expandedDepth={open} />
      )}
    </div>
  );
}

/** Shows JSON as plain text. */
export function JsonText({ value }: { readonly value: unknown }) {
  return (
    <LongText text={JSON.stringify(value, null, 2) ?? 'undefined'} lines={2_000} characters={200_000} mono />
  );
}

type JsonNodeProps = {
  readonly name: string | null;
  readonly value: unknown;
  readonly expandedDepth: number;
};

const shownKeysStep = 100;

function JsonNode({ name, value, expandedDepth: open }: JsonNodeProps) {
  if (typeof value === 'object' && value !== null)
    return <JsonBranch name={name} value={value} expandedDepth={open} />;
  return (
    <div className="json-row">
      <JsonKey name={name} />
      <JsonLeaf value={value} />
    </div>
  );
}

function JsonBranch({ name, value, expandedDepth: open }: JsonNodeProps & { readonly value: object }) {
  const [isOpen, setOpen] = useState(open > 0);
  const isList = Array.isArray(value);
  const keys = Object.keys(value);
  if (keys.length === 0) {
    return (
      <div className="json-row">
        <JsonKey name={name} />
        <span className="json-faint">{isList ? '[]' : '{}'}</span>
      </div>
    );
  }
  return (
    <div>
      <button type="button" className="json-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="json-arrow" aria-hidden="true">
          {isOpen ? '▾' : '▸'}
        </span>
        <JsonKey name={name} />
        <span className="json-faint">
          {isOpen ? (isList ? `[${keys.length}]` : '') : summarizeJson(value)}
        </span>
      </button>
      {isOpen && (
        <div className="json-inside">
          <JsonChildren value={value} expandedDepth={open} />
        </div>
      )}
    </div>
  );
}

function JsonChildren({
  value,
  expandedDepth: open,
}: {
  readonly value: object;
  readonly expandedDepth: number;
}) {
  const [shown, setShown] = useState(shownKeysStep);
  const keys = Object.keys(value);
  if (keys.length === 0) return <span className="json-faint">{Array.isArray(value) ? '[]' : '{}'}</span>;
  return (
    <>
      {keys.slice(0, shown).map((key) => (
        <JsonNode key={key} name={key} value={Reflect.get(value, key)} expandedDepth={open - 1} />
      ))}
      {keys.length > shown && (
        <button type="button" className="link" onClick={() => setShown(shown + shownKeysStep * 10)}>
          {keys.length - shown} more
        </button>
      )}
    </>
  );
}

function JsonKey({ name }: { readonly name: string | null }) {
  return name === null ? null : <span className="json-key">{toSafeLine(name)}: </span>;
}

function JsonLeaf({ value }: { readonly value: unknown }) {
  if (typeof value === 'string') {
    return value.length > 200 || value.includes('\n') ? (
      <span className="json-block json-string">
        <LongText text={value} lines={12} mono />
      </span>
    ) : (
      <span className="json-string">"{escapeUnsafeText(value)}"</span>
    );
  }
  return <span className={typeof value === 'number' ? 'json-number' : 'json-word'}>{String(value)}</span>;
}

/** Summarizes a collapsed value in one line. */
function summarizeJson(value: object): string {
  if (Array.isArray(value)) return `[${value.length}]`;
  const keys = Object.keys(value);
  const listedKeys = keys.slice(0, 4).join(', ');
  return toSafeLine(`{ ${listedKeys}${keys.length > 4 ? ', …' : ''} }`);
}
