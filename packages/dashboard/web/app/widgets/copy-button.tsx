import { useState } from 'react';

/** Copies a text that is built on click. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }) {
  const [feedback, setFeedback] = useState<string | null>(null);
  const copy = async (): Promise<void> => {
    const ok = await copyToClipboard(text());
    setFeedback(ok ? 'Copied' : 'Copy failed');
    setTimeout(() => setFeedback(null), 1_500);
  };
  return (
    <button type="button" className="small" onClick={() => void copy()} aria-live="polite">
      {feedback ?? label}
    </button>
  );
}

/** Falls back to a hidden text area if the browser denies access to the clipboard. */
async function copyToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  document.body.append(area);
  area.select();
  const ok = document.execCommand('copy');
  area.remove();
  return ok;
}
