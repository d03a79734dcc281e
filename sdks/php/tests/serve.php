<?php

declare(strict_types=1);

/**
 * Prints its address, then serves one connection at a time, and notes the requests in the file of the first
 * argument. The second has, for each request, texts to write and milliseconds to wait; `close` closes the
 * connection.
 */
[, $log, $steps] = $argv;
$answers = json_decode($steps);
$server = stream_socket_server('tcp://127.0.0.1:0');
echo stream_socket_get_name($server, false), "\n";
for ($connection = 1; $answers !== [] && $client = stream_socket_accept($server, 20); $connection++) {
    while (($line = fgets($client)) !== false) {
        $headers = [];
        while (($header = trim((string) fgets($client))) !== '') {
            [$name, $value] = explode(':', $header, 2);
            $headers[strtolower($name)] = trim($value);
        }
        $length = (int) ($headers['content-length'] ?? 0);
        $body = $length > 0 ? stream_get_contents($client, $length) : '';
        $request = ['connection' => $connection, 'line' => trim($line), 'headers' => $headers, 'body' => $body];
        file_put_contents($log, json_encode($request) . "\n", FILE_APPEND);
        foreach (array_shift($answers) ?? ['close'] as $step) {
            if ($step === 'close') {
                break 2;
            }
            is_int($step) ? usleep($step * 1_000) : fwrite($client, $step);
        }
    }
    fclose($client);
}
