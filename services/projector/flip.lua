-- Moves the pointer of a partition to a generation whose views are all as far as those that are shown.
--
-- KEYS  1 current  2 versions (of the new generation)  3 published  4 hold
-- ARGV  1 the generation that must be shown  2 the new one
--
-- Answers: OK | FLIPPED | BEHIND tournament…  (at most 1,000 of them)

if (redis.call('GET', KEYS[1]) or 'first') ~= ARGV[1] then
  return { 'FLIPPED' }
end

local made = {}
local flat = redis.call('HGETALL', KEYS[2])
for i = 1, #flat, 2 do
  made[flat[i]] = flat[i + 1]
end
local answer = { 'BEHIND' }
flat = redis.call('HGETALL', KEYS[3])
for i = 1, #flat, 2 do
  local version = string.match(flat[i + 1], '^(%d+):%d+$')
  if version and string.match(flat[i], '^[a-z0-9][a-z0-9-]*$') and made[flat[i]] ~= version and #answer <= 1000 then
    answer[#answer + 1] = flat[i]
  end
end
if #answer > 1 then
  return answer
end

redis.call('SET', KEYS[1], ARGV[2])
redis.call('DEL', KEYS[4])
return { 'OK' }
