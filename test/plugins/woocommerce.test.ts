import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'

/** The plug-in for WooCommerce: its own tests, and that its package is whole. */

const root = path.resolve(import.meta.dirname, '../..')
const plugin = path.join(root, 'plugins/woocommerce')
const folder = mkdtempSync(path.join(tmpdir(), 'manilla-woocommerce-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = promisify(execFile)
const isThere = ['php', 'phpunit'].every(isInstalled)
if (!isThere) console.log('The WooCommerce plug-in is not tested: php or phpunit is missing.')

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

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
