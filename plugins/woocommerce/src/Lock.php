<?php

declare(strict_types=1);

namespace Manilla\WooCommerce;

/** One process at a time for an order: the webhook, the poll and the returning customer may see a payment together. */
final class Lock
{
    private const WAIT_MAX_S = 10;

    /** @param \Closure(\WC_Order): void $work */
    public static function hold(int $orderId, \Closure $work): void
    {
        global $wpdb;
        // Names are shared by all databases of a server. The database frees the lock of a process that dies.
        $name = substr(hash('sha256', DB_NAME . "{$wpdb->prefix}order-$orderId"), 0, 60);
        if ($wpdb->get_var($wpdb->prepare('SELECT GET_LOCK(%s, %d)', $name, self::WAIT_MAX_S)) !== '1') {
            throw new \RuntimeException('The order is being changed by another process.');
        }
        try {
            // This process may remember the order as it was before another process changed it.
            wp_cache_flush_runtime();
            $order = wc_get_order($orderId);
            if ($order) {
                $work($order);
            }
        } finally {
            $wpdb->get_var($wpdb->prepare('SELECT RELEASE_LOCK(%s)', $name));
        }
    }
}
