<?php
/**
 * Plugin Name: Manilla for WooCommerce
 * Description: Take bank transfers through your own Manilla service: hosted checkout page or a dialog on your shop, refunds from the order.
 * Version: 0.1.0
 * Requires at least: 6.1
 * Requires PHP: 8.1
 * Requires Plugins: woocommerce
 * WC requires at least: 7.6
 * License: Apache-2.0
 * Text Domain: manilla
 */

declare(strict_types=1);

use Manilla\WooCommerce\Plugin;

if (!defined('ABSPATH')) {
    exit;
}

// The packed plug-in has the SDK within; in a checkout of the repository it is beside.
require is_dir(__DIR__ . '/sdk') ? __DIR__ . '/sdk/autoload.php' : __DIR__ . '/../../sdks/php/autoload.php';

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Manilla\\WooCommerce\\')) {
        $file = __DIR__ . '/src/' . substr($class, strlen('Manilla\\WooCommerce\\')) . '.php';
        if (is_file($file)) {
            require $file;
        }
    }
});

Plugin::start(__FILE__);
