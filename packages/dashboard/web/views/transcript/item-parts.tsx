import { clockTime } from '../../app/format.ts';
import type { SessionViewProps } from '../../app/view-props.ts';
import type { Item } from './transcript-model.ts';

export type ItemProps<Kind extends Item['kind'] = Item['kind']> = SessionViewProps & {
  readonly item: Extract<Item, { readonly kind: Kind }>;
  readonly showPrompt: (seq: number) => void;
};

/** When it was, and the way to that event. */
export function Place({ item: { seq, at }, go }: Pick<ItemProps, 'item' | 'go'>) {
  return (
    <button
      type="button"
      className="place-link"
      title={`Event ${seq}: look at this moment`}
      onClick={() => go({ seq })}
    >
      <span className="clock">{clockTime(at)} </span>
      <span className="seq">#{seq}</span>
    </button>
  );
}
