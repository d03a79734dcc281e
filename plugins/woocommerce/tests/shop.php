<?php

declare(strict_types=1);

/**
 * The part of WordPress and WooCommerce that the plug-in calls, in memory: options, hooks, orders with notes
 * and refunds, and queued actions. It behaves as WooCommerce 9.5 does, which the plug-in was tried with.
 */

namespace {
    define('ABSPATH', __DIR__);
    define('DB_NAME', 'shop');

    final class Shop
    {
        public static array $options = [];
        public static array $hooks = [];
        public static array $orders = [];
        /** Orders as this process read them before another one changed them. */
        public static array $remembered = [];
        public static array $actions = [];
        public static array $routes = [];
        public static array $scripts = [];
        public static array $notices = [];
        public static array $log = [];
        public static array $locks = [];
        public static bool $isLockedElsewhere = false;
        public static string $currency = 'NGN';
        public static bool $canQueue = true;

        public static function reset(): void
        {
            self::$remembered = [];
            self::$options = self::$orders = self::$actions = self::$routes = self::$scripts = [];
            self::$notices = self::$log = self::$locks = [];
            self::$isLockedElsewhere = false;
            [self::$currency, self::$canQueue] = ['NGN', true];
            WC_Payment_Gateway::$posted = [];
        }

        /** Runs the queued actions once, as Action Scheduler does. */
        public static function work(): int
        {
            [$due, self::$actions] = [self::$actions, []];
            foreach ($due as $action) {
                do_action($action['hook'], ...$action['args']);
            }
            return count($due);
        }
    }

    class WP_Error
    {
        public function __construct(public string $code, public string $message)
        {
        }

        public function get_error_message(): string
        {
            return $this->message;
        }
    }

    class WP_REST_Request
    {
        public function __construct(private string $body, private array $headers)
        {
        }

        public function get_body(): string
        {
            return $this->body;
        }

        /** WordPress writes names with underscores, and values as lists. */
        public function get_headers(): array
        {
            $headers = [];
            foreach ($this->headers as $name => $value) {
                $headers[strtr(strtolower($name), '-', '_')] = [$value];
            }
            return $headers;
        }
    }

    class WP_REST_Response
    {
        public function __construct(public mixed $data = null, public int $status = 200)
        {
        }
    }

    class WC_Order_Refund
    {
        public function __construct(private string $amount)
        {
        }

        public function get_amount(): string
        {
            return $this->amount;
        }
    }

    class WC_Order
    {
        public array $notes = [];
        public array $refunds = [];
        public array $completed = [];
        private array $meta = [];
        private string $status = 'pending';
        private string $transactionId = '';

        public function __construct(private int $id, public string $total)
        {
            Shop::$orders[$id] = $this;
        }

        public function get_id(): int
        {
            return $this->id;
        }

        public function get_total(): string
        {
            return $this->total;
        }

        public function get_order_number(): string
        {
            return (string) $this->id;
        }

        public function get_order_key(): string
        {
            return "wc_order_$this->id";
        }

        public function get_formatted_billing_full_name(): string
        {
            return 'Ada Obi';
        }

        public function get_billing_email(): string
        {
            return 'ada@example.com';
        }

        public function get_checkout_order_received_url(): string
        {
            return "https://shop.example/checkout/order-received/$this->id/?key=wc_order_$this->id";
        }

        public function get_checkout_payment_url(bool $onCheckout = false): string
        {
            return "https://shop.example/checkout/order-pay/$this->id/" . ($onCheckout ? '?dialog=1' : '?pay_for_order=true');
        }

        public function get_meta(string $key): mixed
        {
            return $this->meta[$key] ?? '';
        }

        public function update_meta_data(string $key, mixed $value): void
        {
            $this->meta[$key] = $value;
        }

        public function save(): void
        {
        }

        public function add_order_note(string $note): void
        {
            $this->notes[] = $note;
        }

        public function get_status(): string
        {
            return $this->status;
        }

        public function has_status(string|array $status): bool
        {
            return in_array($this->status, (array) $status, true);
        }

        public function is_paid(): bool
        {
            return $this->has_status(['processing', 'completed']);
        }

        public function update_status(string $status, string $note = ''): void
        {
            $this->status = $status;
            $this->notes[] = $note;
        }

        public function get_transaction_id(): string
        {
            return $this->transactionId;
        }

        public function set_transaction_id(string $id): void
        {
            $this->transactionId = $id;
        }

        public function payment_complete(string $transactionId): void
        {
            if ($this->has_status(['on-hold', 'pending', 'failed', 'cancelled'])) {
                $this->completed[] = $transactionId;
                $this->transactionId = $transactionId;
                $this->status = 'processing';
            }
        }

        public function get_refunds(): array
        {
            return $this->refunds;
        }
    }

    class WC_Payment_Gateway
    {
        public static array $posted = [];
        public string $id = '';
        public string $enabled = 'yes';
        public string $method_title = '';
        public string $method_description = '';
        public string $title = '';
        public string $description = '';
        public bool $has_fields = false;
        public array $supports = [];
        public array $form_fields = [];
        public array $settings = [];
        public array $errors = [];

        public function init_settings(): void
        {
            $defaults = array_map(fn ($field) => $field['default'] ?? '', $this->form_fields);
            $this->settings = array_merge($defaults, (array) get_option("woocommerce_{$this->id}_settings", []));
            $this->enabled = $this->settings['enabled'];
        }

        public function get_option(string $name): string
        {
            return $this->settings[$name];
        }

        public function update_option(string $name, string $value): void
        {
            $this->settings[$name] = $value;
            Shop::$options["woocommerce_{$this->id}_settings"] = $this->settings;
        }

        public function is_available(): bool
        {
            return $this->enabled === 'yes';
        }

        public function supports(string $feature): bool
        {
            return in_array($feature, $this->supports, true);
        }

        public function can_refund_order($order): bool
        {
            return $order && $this->supports('refunds');
        }

        public function process_admin_options(): bool
        {
            foreach ($this->form_fields as $name => $field) {
                try {
                    $check = "validate_{$name}_field";
                    $value = self::$posted[$name] ?? '';
                    $this->settings[$name] = method_exists($this, $check) ? $this->$check($name, $value) : $value;
                } catch (Exception $error) {
                    $this->add_error($error->getMessage());
                }
            }
            Shop::$options["woocommerce_{$this->id}_settings"] = $this->settings;
            return true;
        }

        public function add_error(string $error): void
        {
            $this->errors[] = $error;
        }

        public function display_errors(): void
        {
        }
    }

    /** Locks of the database: another connection may hold one. */
    $wpdb = new class () {
        public string $prefix = 'wp_';

        public function prepare(string $sql, mixed ...$values): string
        {
            return vsprintf($sql, $values);
        }

        public function get_var(string $sql): string
        {
            preg_match('/^SELECT (GET|RELEASE)_LOCK\((\w+)/', $sql, $parts) || throw new LogicException($sql);
            strlen($parts[2]) <= 64 || throw new LogicException('The name of the lock is too long.');
            if ($parts[1] === 'RELEASE') {
                unset(Shop::$locks[$parts[2]]);
                return '1';
            }
            if (Shop::$isLockedElsewhere || isset(Shop::$locks[$parts[2]])) {
                return '0';
            }
            Shop::$locks[$parts[2]] = true;
            return '1';
        }
    };

    function __(string $text, string $domain): string
    {
        return $text;
    }

    function esc_html(string $text): string
    {
        return htmlspecialchars($text, ENT_QUOTES);
    }

    function esc_url(string $url): string
    {
        return htmlspecialchars($url, ENT_QUOTES);
    }

    function add_action(string $hook, callable $callback, int $priority = 10, int $arguments = 1): void
    {
        Shop::$hooks[$hook][] = [$callback, $arguments];
    }

    function add_filter(string $hook, callable $callback): void
    {
        add_action($hook, $callback);
    }

    function do_action(string $hook, mixed ...$values): mixed
    {
        $result = null;
        foreach (Shop::$hooks[$hook] ?? [] as [$callback, $arguments]) {
            $result = $callback(...array_slice($values, 0, $arguments));
        }
        return $result;
    }

    function register_deactivation_hook(string $file, callable $callback): void
    {
        add_action('deactivate', $callback, 10, 0);
    }

    function plugins_url(string $path, string $file): string
    {
        return 'https://shop.example/wp-content/plugins/' . basename(dirname($file)) . "/$path";
    }

    function get_option(string $name, mixed $default = false): mixed
    {
        return Shop::$options[$name] ?? $default;
    }

    function home_url(): string
    {
        return 'https://shop.example/store';
    }

    function rest_url(string $route): string
    {
        return "https://shop.example/wp-json/$route";
    }

    function wp_parse_url(string $url): array
    {
        return parse_url($url);
    }

    function wp_json_encode(mixed $value): string
    {
        return json_encode($value);
    }

    function get_bloginfo(string $what): string
    {
        return 'Ada Stores';
    }

    function register_rest_route(string $namespace, string $route, array $options): void
    {
        Shop::$routes[$namespace . $route] = $options;
    }

    function wp_enqueue_script(string $name, string $url, array $needs, ?string $version, bool $inFooter): void
    {
        Shop::$scripts[$name] = $url;
    }

    function wp_register_script(string $name, string $url, array $needs, ?string $version, bool $inFooter): void
    {
        Shop::$scripts[$name] = $url;
    }

    function get_woocommerce_currency(): string
    {
        return Shop::$currency;
    }

    function wc_get_order(int|string $id): WC_Order|false
    {
        return Shop::$remembered[(int) $id] ?? Shop::$orders[(int) $id] ?? false;
    }

    function wp_cache_flush_runtime(): void
    {
        Shop::$remembered = [];
    }

    function wc_get_orders(array $query): array
    {
        $found = array_filter(Shop::$orders, fn (WC_Order $order) => (!isset($query['status'])
            || $order->has_status($query['status'])) && (!isset($query['transaction_id'])
            || $order->get_transaction_id() === $query['transaction_id']));
        return array_slice(array_values($found), 0, $query['limit']);
    }

    function wc_add_notice(string $text, string $kind): void
    {
        Shop::$notices[] = $text;
    }

    function wc_get_logger(): object
    {
        return new class () {
            public function __call(string $level, array $values): void
            {
                Shop::$log[] = $values[0];
            }
        };
    }

    function as_enqueue_async_action(string $hook, array $args, string $group): int
    {
        return as_schedule_single_action(0, $hook, $args, $group);
    }

    function as_schedule_single_action(int $time, string $hook, array $args, string $group): int
    {
        if (!Shop::$canQueue) {
            return 0;
        }
        Shop::$actions[] = ['time' => $time, 'hook' => $hook, 'args' => $args];
        return count(Shop::$actions);
    }

    function as_schedule_recurring_action(int $time, int $every, string $hook, array $args, string $group): int
    {
        return as_schedule_single_action($time, $hook, $args, $group);
    }

    function as_has_scheduled_action(string $hook, array $args, string $group): bool
    {
        return array_filter(Shop::$actions, fn ($action) => [$action['hook'], $action['args']] === [$hook, $args]) !== [];
    }

    function as_unschedule_all_actions(string $hook, array $args, string $group): void
    {
        Shop::$actions = [];
    }

    function WC(): object
    {
        return new class () {
            public function payment_gateways(): object
            {
                return new class () {
                    public function payment_gateways(): array
                    {
                        return ['manilla' => new \Manilla\WooCommerce\Gateway()];
                    }
                };
            }
        };
    }
}

namespace Automattic\WooCommerce\Blocks\Payments\Integrations {
    abstract class AbstractPaymentMethodType
    {
        protected $name = '';
        protected $settings = [];

        protected function get_setting(string $name): string
        {
            return $this->settings[$name] ?? '';
        }
    }
}

namespace {
    require __DIR__ . '/../manilla-woocommerce.php';
    require __DIR__ . '/Service.php';
    do_action('woocommerce_init');
}
