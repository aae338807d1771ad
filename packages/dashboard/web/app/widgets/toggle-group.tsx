/** Selects one of a few options. */
export function ToggleGroup<Choice extends string>({
  label,
  options,
  selected,
  onSelect,
}: ToggleGroupProps<Choice>) {
  return (
    <div className="either" role="group" aria-label={label}>
      {options.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === selected}
          className={each === selected ? 'chosen' : ''}
          onClick={() => onSelect(each)}
        >
          {each}
        </button>
      ))}
    </div>
  );
}

type ToggleGroupProps<Choice extends string> = {
  readonly label: string;
  readonly options: readonly Choice[];
  readonly selected: Choice;
  readonly onSelect: (choice: Choice) => void;
};
