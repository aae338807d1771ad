/** One of a few, of which one is chosen. */
export function Either<Choice extends string>({ label, of, chosen, choose }: EitherProps<Choice>) {
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

type EitherProps<Choice extends string> = {
  readonly label: string;
  readonly of: readonly Choice[];
  readonly chosen: Choice;
  readonly choose: (choice: Choice) => void;
};
