<?php

declare(strict_types=1);

// Orders keep their references: refunds of the past can still be found in Manilla.
if (defined('WP_UNINSTALL_PLUGIN')) {
    delete_option('woocommerce_manilla_settings');
}
