<?php

declare(strict_types=1);

namespace Manilla\WooCommerce;

use Automattic\WooCommerce\Blocks\Payments\PaymentMethodRegistry;
use Automattic\WooCommerce\Utilities\FeaturesUtil;

/** Where the plug-in meets WordPress and WooCommerce. */
final class Plugin
{
    public const ID = 'manilla';
    public const VERSION = '0.1.0';
    private static string $file;

    public static function start(string $file): void
    {
        self::$file = $file;
        add_action('before_woocommerce_init', static function (): void {
            if (class_exists(FeaturesUtil::class)) {
                FeaturesUtil::declare_compatibility('custom_order_tables', self::$file, true);
                FeaturesUtil::declare_compatibility('cart_checkout_blocks', self::$file, true);
            }
        });
        // Without WooCommerce there is nothing to do.
        add_action('woocommerce_init', self::hook(...));
        register_deactivation_hook($file, Poll::stop(...));
    }

    public static function url(string $path): string
    {
        return plugins_url($path, self::$file);
    }

    private static function hook(): void
    {
        add_filter('woocommerce_payment_gateways', static fn (array $gateways) => [...$gateways, Gateway::class]);
        add_action('woocommerce_blocks_payment_method_type_registration', static function (PaymentMethodRegistry $registry): void {
            $registry->register(new BlocksSupport());
        });
        add_action('rest_api_init', Webhooks::register(...));
        add_action(Webhooks::JOB, Webhooks::work(...), 10, 4);
        add_action('admin_init', Poll::start(...));
        add_action(Poll::JOB, Poll::run(...));
        add_action('woocommerce_receipt_' . self::ID, PayPage::print(...));
        add_action('woocommerce_thankyou_' . self::ID, Orders::refresh(...), 1);
    }
}
