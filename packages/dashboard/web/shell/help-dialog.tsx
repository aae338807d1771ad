import { listActiveBindings } from '../app/use-keys.ts';
import { ModalDialog } from '../app/widgets/modal-dialog.tsx';

/** Lists the keyboard shortcuts that are active on this page. */
export function HelpDialog({ close }: { readonly close: () => void }) {
  return (
    <ModalDialog title="Keyboard shortcuts" close={close}>
      <div className="help">
        {listActiveBindings()
          .filter(({ bindings }) => bindings.length > 0)
          .map(({ title, bindings }) => (
            <section key={title}>
              <h3>{title}</h3>
              <dl>
                {bindings.map(({ keys, description }) => (
                  <div key={keys}>
                    <dt>
                      {keys.split(' ').map((key, index) => (
                        <kbd key={index}>{key}</kbd>
                      ))}
                    </dt>
                    <dd>{description}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
      </div>
    </ModalDialog>
  );
}
