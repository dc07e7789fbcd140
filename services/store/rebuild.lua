-- Replaces a log's table of commands by one rebuilt from its entries, unless the log has grown meanwhile.
--
-- KEYS  1 head  2 commands        ARGV  1 version and 2 hash of the log that was read, 3… command id, outcome, …
-- Answers 1 when it was replaced, 0 when the log is at another version by now.

local noted = redis.call('HMGET', KEYS[1], 'v', 'h')
if noted[1] ~= ARGV[1] or noted[2] ~= ARGV[2] then
  return 0
end
redis.call('DEL', KEYS[2])
for i = 3, #ARGV, 2 do
  redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1])
end
redis.call('HSET', KEYS[1], 'n', string.format('%.0f', (#ARGV - 2) / 2))
return 1
