<?php

declare(strict_types=1);

namespace Manilla\WooCommerce;

use Automattic\WooCommerce\Blocks\Payments\Integrations\AbstractPaymentMethodType;

/** Offers the payment method in the checkout block. */
final class BlocksSupport extends AbstractPaymentMethodType
{
    protected $name = Plugin::ID;

    public function initialize(): void
    {
        $this->settings = (array) get_option('woocommerce_' . Plugin::ID . '_settings', []);
    }

    public function is_active(): bool
    {
        $gateways = WC()->payment_gateways()->payment_gateways();
        return isset($gateways[Plugin::ID]) && $gateways[Plugin::ID]->is_available();
    }

    /** @return list<string> */
    public function get_payment_method_script_handles(): array
    {
        $needs = ['wc-blocks-registry', 'wc-settings', 'wp-element', 'wp-html-entities'];
        wp_register_script('manilla-blocks', Plugin::url('assets/blocks.js'), $needs, Plugin::VERSION, true);
        return ['manilla-blocks'];
    }

    /** @return array<string, mixed> */
    public function get_payment_method_data(): array
    {
        return [
            'title' => $this->get_setting('title'),
            'description' => $this->get_setting('description'),
            'supports' => ['products', 'refunds'],
        ];
    }
}
