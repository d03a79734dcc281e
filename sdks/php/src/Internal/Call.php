<?php

declare(strict_types=1);

namespace Manilla\Internal;

use Manilla\Omit;
use Manilla\RequestOptions;

/**
 * One call of a method: an operation of the API and its arguments.
 *
 * @internal
 */
final class Call
{
    public readonly string $target;

    /**
     * @param string $name as the caller knows it, such as `virtualAccounts->get`
     * @param string $path as in openapi.json; `$arguments` replace the `{names}`
     * @param array<string, string> $arguments
     * @param array<string, mixed> $query null is left out
     * @param array<string, mixed>|string|null $body null and `Omit::Field` are left out;
     *   a text is a CSV file
     * @param list<string> $nullable fields of the body in which null is a value
     */
    public function __construct(
        string $name,
        public readonly string $method,
        string $path,
        array $arguments = [],
        public readonly array $query = [],
        public readonly array|string|null $body = null,
        public readonly array $nullable = [],
        public readonly bool $isPublic = false,
        public readonly ?RequestOptions $options = null,
    ) {
        foreach ($arguments as $parameter => $value) {
            // An empty segment would turn "get one" into "list all".
            if ($value === '') {
                throw new \InvalidArgumentException("\$manilla->$name needs $parameter, but got an empty string.");
            }
            $path = str_replace('{' . $parameter . '}', rawurlencode($value), $path);
        }
        $this->target = $path;
    }

    /** @param array<string, mixed> $more replaces parameters of the query */
    public function pathWithQuery(array $more = []): string
    {
        $texts = [];
        self::refuseFloats($this->query);
        foreach ([...$this->query, ...$more] as $name => $value) {
            if ($value !== null) {
                $texts[$name] = self::toText($value);
            }
        }
        $query = http_build_query($texts, '', '&', PHP_QUERY_RFC3986);
        return $query === '' ? $this->target : "$this->target?$query";
    }

    public function encodeBody(): ?string
    {
        if (!is_array($this->body)) {
            return $this->body;
        }
        $fields = array_filter(
            $this->body,
            fn (mixed $value, string $name) => $value !== Omit::Field
                && ($value !== null || in_array($name, $this->nullable, true)),
            ARRAY_FILTER_USE_BOTH,
        );
        self::refuseFloats($fields);
        $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;
        return json_encode((object) $fields, $flags);
    }

    /** An empty array would become `[]`, also where an object belongs. */
    public static function toObject(mixed $value): mixed
    {
        return is_array($value) ? (object) $value : $value;
    }

    /**
     * PHP would silently cut `19.99 * 100`, which is 1998.9999999999998, to 1998 kobo. Metadata is the
     * caller's own and holds no amounts of the API.
     */
    private static function refuseFloats(array|object $values): void
    {
        foreach ((array) $values as $name => $value) {
            if ($name === 'metadata') {
                continue;
            }
            if (is_float($value)) {
                throw new \InvalidArgumentException(
                    "$name must not be a float. Use an integer in kobo, or a decimal string for USDC and USDT.",
                );
            }
            if (is_array($value) || $value instanceof \stdClass) {
                self::refuseFloats($value);
            }
        }
    }

    private static function toText(mixed $value): string
    {
        if (is_bool($value)) {
            return $value ? 'true' : 'false';
        }
        return is_array($value) ? implode(',', array_map(self::toText(...), $value)) : (string) $value;
    }
}
