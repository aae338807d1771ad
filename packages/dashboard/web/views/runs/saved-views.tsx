import { useState } from 'react';
import { open } from '../../app/router.ts';
import { visibleLine } from '../../app/visible.ts';
import { filterAddress, readSavedViews, type RunsFilter, type SavedView } from './runs-model.ts';
import { Icon } from '../../app/widgets/icon.tsx';

const key = 'pawl-saved-views';

/** Filters that somebody gave a name. The browser keeps them. */
export function SavedViews({ filter }: { readonly filter: RunsFilter }) {
  const [views, setViews] = useState<readonly SavedView[]>(() => readSavedViews(kept()));
  const [name, setName] = useState<string | null>(null);
  const address = filterAddress(filter);
  const keep = (next: readonly SavedView[]): void => {
    setViews(next);
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // A browser that keeps nothing still shows them until the page is left.
    }
  };
  return (
    <div className="saved-views">
      {views.map((view) => (
        <span key={view.name} className={view.address === address ? 'saved here' : 'saved'}>
          <button type="button" className="link" onClick={() => open(view.address)}>
            {visibleLine(view.name, 40)}
          </button>
          <button
            type="button"
            className="icon tiny"
            aria-label={`Forget the view ${view.name}`}
            onClick={() => keep(views.filter((each) => each !== view))}
          >
            <Icon name="close" />
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
            const given = name.trim();
            if (given !== '')
              keep([...views.filter((view) => view.name !== given), { name: given, address }]);
            setName(null);
          }}
        >
          <input
            autoFocus
            aria-label="Name of the view"
            placeholder="Name it, then Enter"
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

function kept(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
