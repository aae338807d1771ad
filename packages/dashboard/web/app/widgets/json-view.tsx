import { useState } from 'react';
import { visible, visibleLine } from '../visible.ts';
import { LongText } from './long-text.tsx';

/** JSON to look into: objects and lists open and close, and what is closed is not drawn. */
export function JsonView({ value, open = 2 }: { readonly value: unknown; readonly open?: number }) {
  return (
    <div className="json">
      {typeof value === 'object' && value !== null ? (
        <Inside value={value} open={open} />
      ) : (
        <Node name={null} value={value} open={open} />
      )}
    </div>
  );
}

/** The same as plain text. */
export function JsonText({ value }: { readonly value: unknown }) {
  return (
    <LongText text={JSON.stringify(value, null, 2) ?? 'undefined'} lines={2_000} characters={200_000} mono />
  );
}

type NodeProps = { readonly name: string | null; readonly value: unknown; readonly open: number };

const shownAtOnce = 100;

function Node({ name, value, open }: NodeProps) {
  if (typeof value === 'object' && value !== null) return <Branch name={name} value={value} open={open} />;
  return (
    <div className="json-row">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  );
}

function Branch({ name, value, open }: NodeProps & { readonly value: object }) {
  const [isOpen, setOpen] = useState(open > 0);
  const isList = Array.isArray(value);
  const keys = Object.keys(value);
  if (keys.length === 0) {
    return (
      <div className="json-row">
        <Name name={name} />
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
        <Name name={name} />
        <span className="json-faint">{isOpen ? (isList ? `[${keys.length}]` : '') : inShort(value)}</span>
      </button>
      {isOpen && (
        <div className="json-inside">
          <Inside value={value} open={open} />
        </div>
      )}
    </div>
  );
}

function Inside({ value, open }: { readonly value: object; readonly open: number }) {
  const [shown, setShown] = useState(shownAtOnce);
  const keys = Object.keys(value);
  if (keys.length === 0) return <span className="json-faint">{Array.isArray(value) ? '[]' : '{}'}</span>;
  return (
    <>
      {keys.slice(0, shown).map((key) => (
        <Node key={key} name={key} value={Reflect.get(value, key)} open={open - 1} />
      ))}
      {keys.length > shown && (
        <button type="button" className="link" onClick={() => setShown(shown + shownAtOnce * 10)}>
          {keys.length - shown} more
        </button>
      )}
    </>
  );
}

function Name({ name }: { readonly name: string | null }) {
  return name === null ? null : <span className="json-key">{visibleLine(name)}: </span>;
}

function Leaf({ value }: { readonly value: unknown }) {
  if (typeof value === 'string') {
    return value.length > 200 || value.includes('\n') ? (
      <span className="json-block json-string">
        <LongText text={value} lines={12} mono />
      </span>
    ) : (
      <span className="json-string">"{visible(value)}"</span>
    );
  }
  return <span className={typeof value === 'number' ? 'json-number' : 'json-word'}>{String(value)}</span>;
}

/** A line that says what is inside without drawing it. */
function inShort(value: object): string {
  if (Array.isArray(value)) return `[${value.length}]`;
  const keys = Object.keys(value);
  const named = keys.slice(0, 4).join(', ');
  return visibleLine(`{ ${named}${keys.length > 4 ? ', …' : ''} }`);
}
