import { useState } from 'react';
import { openAddress } from '../../app/router.ts';
import { toSafeLine } from '../../app/safe-text.ts';
import { formatFilterAddress, parseSavedViews, type RunsFilter, type SavedView } from './runs-model.ts';
import { SvgIcon } from '../../app/widgets/svg-icon.tsx';

const savedViewsKey = 'pawl-saved-views';

/** Named filters, stored in the browser. */
export function SavedViewList({ filter }: { readonly filter: RunsFilter }) {
  const [views, setViews] = useState<readonly SavedView[]>(() => parseSavedViews(readStoredViews()));
  const [name, setName] = useState<string | null>(null);
  const address = formatFilterAddress(filter);
  const saveViews = (next: readonly SavedView[]): void => {
    setViews(next);
    try {
      localStorage.setItem(savedViewsKey, JSON.stringify(next));
    } catch {
      // Without browser storage, the views still apply until the page is closed.
    }
  };
  return (
    <div className="saved-views">
      {views.map((view) => (
        <span key={view.name} className={view.address === address ? 'saved here' : 'saved'}>
          <button type="button" className="link" onClick={() => openAddress(view.address)}>
            {toSafeLine(view.name, 40)}
          </button>
          <button
            type="button"
            className="icon tiny"
            aria-label={`Delete the view ${view.name}`}
            onClick={() => saveViews(views.filter((each) => each !== view))}
          >
            <SvgIcon name="close" />
          </button>
        </span>
      ))}
      {name === null ? (
        <button type="button" className="small" disabled={address === '#/'} onClick={() => setName('')}>
          Save view
        </button>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const trimmed = name.trim();
            if (trimmed !== '')
              saveViews([...views.filter((view) => view.name !== trimmed), { name: trimmed, address }]);
            setName(null);
          }}
        >
          <input
            autoFocus
            aria-label="Name of the view"
            placeholder="Name, then Enter"
            value={name}
            onChange={(event) => setName(event.target.value)}
            onBlur={() => setName(null)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') setName(null);
            }}
          />
        </form>
      )}
    </div>
  );
}

function readStoredViews(): string | null {
  try {
    return localStorage.getItem(savedViewsKey);
  } catch {
    return null;
  }
}
