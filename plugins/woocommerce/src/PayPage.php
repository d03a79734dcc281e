<?php

declare(strict_types=1);

namespace Manilla\WooCommerce;

/** The page of the shop on which the dialog opens. */
final class PayPage
{
    public static function print(int|string $orderId): void
    {
        $order = wc_get_order($orderId);
        $url = Sessions::urlOf($order);
        if ($url === '') {
            return;
        }
        // The script shows pages of its own origin only. A version would need the hash of that service.
        wp_enqueue_script('manilla-inline', preg_replace('~^(https?://[^/]+).*$~', '$1/inline.js', $url), [], null, true);
        wp_enqueue_script('manilla-pay', Plugin::url('assets/pay.js'), ['manilla-inline'], Plugin::VERSION, true);
        printf(
            '<manilla-button session="%1$s" data-done="%2$s" data-again="%3$s">%4$s</manilla-button><noscript><a class="button" href="%1$s">%4$s</a></noscript>',
            esc_url($url),
            esc_url($order->get_checkout_order_received_url()),
            esc_url($order->get_checkout_payment_url()),
            /* translators: %s: amount */
            esc_html(sprintf(__('Pay %s', 'manilla'), Kobo::print(Kobo::of((string) $order->get_total('edit'))))),
        );
    }
}
