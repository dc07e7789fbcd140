-- Writes what one tournament's log gives up to a version: its views, its checkpoint and what the public is told, in
-- one piece or not at all, if everything is still as it was when that was made.
--
-- KEYS  1 current  2 views  3 summaries  4 versions  5 public  6 published  7 hold     (services/projector/keys.py)
-- ARGV  1 tournament  2 the generation that must be shown  3 '1': we write to that one, heed the hold, and tell the public
--       4 version and 5 hash of the checkpoint that we started from  6 the mark that we started from, 'v:n'
--       7 version and 8 hash of the new checkpoint  9 the new mark
--       10 '1': replace whatever is there  11 how many views there are before  12 how many are written, w
--       13 how many go, g  14… w times name, content; g times name; then messages, the first as number n + 1
--
-- Answers: OK | FLIPPED | HELD | STALE | FOREIGN | BROKEN reason
--
-- STALE: somebody was faster, or the views are lost: look again. FOREIGN: other views are there than we wrote.
-- BROKEN: the public stream is not as we left it. It is never written anew, so that is for people to settle.

local current, views, summaries, versions, public, published, hold = unpack(KEYS)
local tournament, new_mark = ARGV[1], ARGV[9]
local shown, all = ARGV[3] == '1', ARGV[10] == '1'

local kinds = { 'string', 'hash', 'hash', 'hash', 'stream', 'hash', 'string' }
for i = 1, 7 do
  local kind = redis.call('TYPE', KEYS[i]).ok
  if kind ~= 'none' and kind ~= kinds[i] then
    return { 'BROKEN', 'the key ' .. KEYS[i] .. ' holds a ' .. kind .. ', not a ' .. kinds[i] }
  end
end

-- 1. The generation shown is the one that we know, and nobody is about to move the pointer.
if (redis.call('GET', current) or 'first') ~= ARGV[2] then
  return { 'FLIPPED' }
end
if shown and redis.call('PTTL', hold) > 0 then  -- one that does not expire is a foreign hand's
  return { 'HELD' }
end

-- 2. Nobody was faster. A checkpoint that nobody can read is none.
local noted = redis.call('HMGET', views, 'v', 'h')
local version, hash = noted[1] or '', noted[2] or ''
if not string.match(version, '^%d+$') or #hash ~= 64 then
  version, hash = '0', string.rep('0', 64)
end
if version ~= ARGV[4] or hash ~= ARGV[5] then
  return { 'STALE' }
end
if shown and (redis.call('HGET', published, tournament) or '0:0') ~= ARGV[6] then
  return { 'STALE' }
end

-- 3. What is there is ours.
if not all then
  local listed = redis.call('HGET', summaries, tournament) or ''
  local summary = redis.call('HGET', views, 'summary') or ''
  if redis.call('HLEN', views) ~= ARGV[11] + 2 or listed ~= summary
      or redis.call('HGET', versions, tournament) ~= ARGV[4] then
    return { 'FOREIGN' }
  end
end
local told = tonumber(string.match(ARGV[6], ':(%d+)$'))
if shown then
  local last, length = '0-0', 0
  if redis.call('EXISTS', public) == 1 then
    local about = {}
    local info = redis.call('XINFO', 'STREAM', public)
    for i = 1, #info, 2 do
      about[info[i]] = info[i + 1]
    end
    last, length = about['last-generated-id'], about['length']
  end
  if last ~= string.format('%.0f-0', told) or length ~= told then
    return { 'BROKEN', string.format('its public stream ends with %s after %.0f messages, and %.0f were written',
      last, length, told) }
  end
end

local written, gone = tonumber(ARGV[12]), tonumber(ARGV[13])
local after_views = 13 + 2 * written
if not shown and #ARGV > after_views + gone then
  return redis.error_reply('messages for the public from a generation that is not shown')
end
for i = after_views + gone + 1, #ARGV do
  told = told + 1
  redis.call('XADD', public, string.format('%.0f-0', told), 'e', ARGV[i])
end
if all then
  redis.call('DEL', views)
  redis.call('HDEL', summaries, tournament)
end
for i = after_views + 1, after_views + gone do
  redis.call('HDEL', views, ARGV[i])
  if ARGV[i] == 'summary' then
    redis.call('HDEL', summaries, tournament)
  end
end
for i = 14, after_views, 2 do
  redis.call('HSET', views, ARGV[i], ARGV[i + 1])
  if ARGV[i] == 'summary' then
    redis.call('HSET', summaries, tournament, ARGV[i + 1])
  end
end
redis.call('HSET', views, 'v', ARGV[7], 'h', ARGV[8])
redis.call('HSET', versions, tournament, ARGV[7])
if shown then
  redis.call('HSET', published, tournament, new_mark)
end
return { 'OK' }
