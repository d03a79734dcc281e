import { useStore } from '../api/store'
import { Switch } from '../parts/choices'
import { Dialog } from '../parts/dialog'
import { singleKeys, switchSingleKeys } from './keys'
import { useMenu } from './menu'
import { openedPanel } from './panels'
import { frameTexts } from './texts'

export function KeysHelp() {
  const isOn = useStore(singleKeys)
  const menu = useMenu()
  const { help } = frameTexts
  const places = menu.flatMap(({ menu: { goKey, label } }) =>
    goKey ? [[`g ${goKey}`, help.go(label)] as const] : [],
  )
  const lines = [
    ['Ctrl K', help.search],
    ...places,
    ['c', help.newPayout],
    ['/', help.filter],
    ['j k', help.rows],
    ['Enter', help.open],
    ['?', help.help],
  ] as const
  return (
    <Dialog title={help.title} onClose={() => openedPanel.write(null)}>
      <dl className="stack" style={{ gap: 8 }}>
        {lines.map(([keys, meaning]) => (
          <div key={keys} className="row spread">
            <dt>{meaning}</dt>
            <dd className="row">
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <div className="divided" style={{ marginTop: 16, paddingTop: 16 }}>
        <Switch
          label={help.singleKeys}
          description={help.singleKeysText}
          isOn={isOn}
          onChange={switchSingleKeys}
        />
      </div>
    </Dialog>
  )
}
