/** Selects one of a few options. */
export function ToggleGroup<Choice extends string>({ label, of, chosen, choose }: ToggleGroupProps<Choice>) {
  return (
    <div className="either" role="group" aria-label={label}>
      {of.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === chosen}
          className={each === chosen ? 'chosen' : ''}
          onClick={() => choose(each)}
        >
          {each}
        </button>
      ))}
    </div>
  );
}

type ToggleGroupProps<Choice extends string> = {
  readonly label: string;
  readonly of: readonly Choice[];
  readonly chosen: Choice;
  readonly choose: (choice: Choice) => void;
};
