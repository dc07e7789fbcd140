-- The only writer of a log: checks, then appends one command's entries, in one piece or not at all.
--
-- KEYS  1 stream  2 head  3 commands  4 feed  5 index        (services/store/keys.py says what each holds)
-- ARGV  1 tournament  2 expected version  3 expected hash  4 command id  5 request digest
--       6 the writer's clock, ms since 1970  7 how far it may be off, ms  8 hash of the last new entry  9… entries
--
-- Answers: OK first last | DUP first last | CLASH command first last | REBUILD noted found | BROKEN version reason
--          | CONFLICT version hash | CLOCK skew_ms
--
-- A script is not rolled back, so nothing is written before everything is checked; what could still fail (the
-- feed, or a server that takes no writes) comes first, where a failure leaves at most a doorbell that rings for
-- nothing. The server writes the effects to its append-only file as one transaction.

local stream, head, commands, feed, index = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local tournament, expected, expected_hash, command, request = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]

local kinds = { 'stream', 'hash', 'hash', 'stream', 'zset' }
for i = 1, 5 do
  local kind = redis.call('TYPE', KEYS[i]).ok
  if kind ~= 'none' and kind ~= kinds[i] then
    return { 'BROKEN', 0, 'the key ' .. KEYS[i] .. ' holds a ' .. kind .. ', not a ' .. kinds[i] }
  end
end

local noted = redis.call('HMGET', head, 'v', 'h', 'n')
local version, hash, count = tonumber(noted[1] or 0), noted[2] or string.rep('0', 64), tonumber(noted[3] or 0)
if not version or not count then
  return { 'BROKEN', 0, 'its head is not readable' }
end

-- 1. Idempotency: a command is carried out once, and answered the same for ever.
local known = redis.call('HGET', commands, command)
if known then
  local first, last, first_request = string.match(known, '^(%d+):(%d+):(%x+)$')
  if not first then
    return { 'REBUILD', count, -1 }
  elseif first_request == request then
    return { 'DUP', tonumber(first), tonumber(last) }
  end
  return { 'CLASH', command, tonumber(first), tonumber(last) }
end
local remembered = redis.call('HLEN', commands)
if remembered ~= count then
  return { 'REBUILD', count, remembered }
end

-- 2. The stream ends where we left it: no foreign entry, no trim, no loss.
if redis.call('EXISTS', stream) == 1 then
  local about = {}
  local info = redis.call('XINFO', 'STREAM', stream)
  for i = 1, #info, 2 do
    about[info[i]] = info[i + 1]
  end
  if about['last-generated-id'] ~= string.format('%.0f-0', version) then
    return { 'BROKEN', version, 'its last entry is ' .. about['last-generated-id'] .. ', but its head says '
      .. string.format('%.0f-0', version) .. ': a foreign hand wrote it, or a head is lost' }
  elseif about['length'] ~= version then
    return { 'BROKEN', version, string.format('%.0f entries are left of %.0f', about['length'], version) }
  end
elseif version > 0 then
  return { 'BROKEN', version, 'its entries are gone' }
elseif redis.call('ZSCORE', index, tournament) then
  return { 'BROKEN', 0, 'its entries and its head are gone, but the index knows it' }
end

-- 3. Nobody was faster, and the writer decided from this very history.
if version ~= expected or hash ~= expected_hash then
  return { 'CONFLICT', version, hash }
end

-- 4. The writer's clock is near ours.
local now = redis.call('TIME')
local skew = tonumber(ARGV[6]) - (tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000))
if math.abs(skew) > tonumber(ARGV[7]) then
  return { 'CLOCK', skew }
end

local first, last = version + 1, version + #ARGV - 8
local rung = redis.pcall('XADD', feed, '*', 'tournament', tournament, 'v', string.format('%.0f', last))
if type(rung) == 'table' and rung.err then
  return rung
end
for i = first, last do
  redis.call('XADD', stream, string.format('%.0f-0', i), 'e', ARGV[8 + i - version])
end
redis.call('HSET', head, 'v', string.format('%.0f', last), 'h', ARGV[8], 'n', string.format('%.0f', count + 1))
redis.call('HSET', commands, command, string.format('%.0f:%.0f:%s', first, last, request))
redis.call('ZADD', index, string.format('%.0f', last), tournament)
return { 'OK', first, last }
