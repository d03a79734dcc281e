import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { afterAll, describe, expect, test } from 'vitest'
import { isInstalled } from '../support/is-installed.js'

/** The plug-in for WooCommerce: its own tests, and that its package is whole. */

const root = path.resolve(import.meta.dirname, '../..')
const plugin = path.join(root, 'plugins/woocommerce')
const folder = mkdtempSync(path.join(tmpdir(), 'manilla-woocommerce-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = promisify(execFile)
const isThere = ['php', 'phpunit'].every(isInstalled)
if (!isThere) console.log('The WooCommerce plug-in is not tested: php or phpunit is missing.')

test('PHP is installed where every runtime must be', () => {
  if (process.env.MANILLA_ALL_RUNTIMES === '1') expect(isThere).toBe(true)
})

describe.runIf(isThere)('the WooCommerce plug-in', () => {
  test('passes its own tests', async () => {
    const { stdout } = await run('phpunit', [], { cwd: plugin })
    expect(stdout).toContain('OK (')
  })

  test('is packed with the SDK and loads from its own folder alone', async () => {
    const { stdout } = await run('sh', [path.join(plugin, 'pack.sh'), folder])
    const packed = stdout.trim()
    expect(packed).toBe(path.join(folder, 'manilla-woocommerce'))
    expect(existsSync(path.join(packed, 'tests'))).toBe(false)
    // The least that WordPress is to a plug-in that WooCommerce has not started.
    const program = `
      define('ABSPATH', '/');
      $hooks = [];
      function add_action($hook) { $GLOBALS['hooks'][] = $hook; }
      function register_deactivation_hook() {}
      function __($text) { return $text; }
      function home_url() { return 'https://shop.example'; }
      function wp_parse_url($url) { return parse_url($url); }
      require '${packed}/manilla-woocommerce.php';
      echo json_encode([$hooks, Manilla\\WooCommerce\\Kobo::of('19.99'),
        (new ReflectionClass('Manilla\\Webhook'))->getFileName(),
        array_keys(Manilla\\WooCommerce\\Settings::fields())[0]]);`
    const { stdout: said } = await run('php', ['-r', program])
    expect(JSON.parse(said)).toEqual([
      ['before_woocommerce_init', 'woocommerce_init'],
      1_999,
      `${packed}/sdk/src/Webhook.php`,
      'enabled',
    ])
  })
})

/** The globals of a page of the shop, on which all scripts share one scope. */
function openPage(globals: object) {
  const page = createContext(globals)
  return (file: string) => {
    const script = readFileSync(path.join(plugin, 'assets', file), 'utf8')
    runInContext('const settings = "of another plug-in"', page)
    runInContext(script, page)
  }
}

test('the checkout block offers the payment method', () => {
  const registered: { name: string; ariaLabel: string; canMakePayment: () => boolean }[] = []
  const load = openPage({
    window: {
      wc: {
        wcBlocksRegistry: { registerPaymentMethod: (one: never) => registered.push(one) },
        wcSettings: {
          getSetting: () => ({ title: 'Bank &amp; transfer', supports: ['products'] }),
        },
      },
      wp: {
        element: { createElement: (...given: unknown[]) => given },
        htmlEntities: { decodeEntities: (text: string) => text.replace('&amp;', '&') },
      },
    },
  })
  load('blocks.js')
  expect(registered).toMatchObject([
    {
      name: 'manilla',
      ariaLabel: 'Bank & transfer',
      label: ['span', null, 'Bank & transfer'],
      supports: { features: ['products'] },
    },
  ])
  expect(registered[0]!.canMakePayment()).toBe(true)
})

test.each([
  ['paid', ['/done']],
  ['expired', ['/again']],
  ['cancelled', ['/again']],
  // They may have sent the money already: the button stays.
  ['closed', []],
])('after a dialog that ended %s, the customer goes to %j', (status, expected) => {
  const visited: string[] = []
  let listener: (event: object) => void = () => {}
  const load = openPage({
    location: { assign: (url: string) => visited.push(url) },
    document: {
      addEventListener: (_: string, given: typeof listener) => {
        listener = given
      },
    },
  })
  load('pay.js')
  const target = { dataset: { done: '/done', again: '/again' } }
  listener({ target, detail: { status } })
  expect(visited).toEqual(expected)
})
