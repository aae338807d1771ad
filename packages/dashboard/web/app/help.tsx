import { keysNow } from './use-keys.ts';
import { Dialog } from './widgets/dialog.tsx';

/** The keys that work on this page. */
export function Help({ close }: { readonly close: () => void }) {
  return (
    <Dialog title="Keys" close={close}>
      <div className="help">
        {keysNow()
          .filter(({ bindings }) => bindings.length > 0)
          .map(({ title, bindings }) => (
            <section key={title}>
              <h3>{title}</h3>
              <dl>
                {bindings.map(({ keys, does }) => (
                  <div key={keys}>
                    <dt>
                      {keys.split(' ').map((key, index) => (
                        <kbd key={index}>{key}</kbd>
                      ))}
                    </dt>
                    <dd>{does}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
      </div>
    </Dialog>
  );
}
