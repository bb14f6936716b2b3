-- Look at the queue of a lane. States: session.lua.
--
-- KEYS  1 ready  2 due  3 parked  4 capped  5 dead
-- ARGV  1 group
-- Returns {sessions ready but not taken, held by workers, delayed, ms the oldest ready one waits,
--          parked, capped, dead letters}
local ready = KEYS[1]
local group = ARGV[1]
local function count(command, key) return redis.call(command, key) end
local delayed, parked, capped, dead =
  count('ZCARD', KEYS[2]), count('ZCARD', KEYS[3]), count('ZCARD', KEYS[4]), count('XLEN', KEYS[5])

local function answer(waiting, held, ms)
  return {waiting, held, delayed, ms, parked, capped, dead}
end

local tokens = redis.call('XLEN', ready)
if tokens == 0 then return answer(0, 0, 0) end
local held, after = 0, '-'
local groups = redis.call('XINFO', 'GROUPS', ready)
if groups[1] then
  for i = 1, #groups[1], 2 do
    if groups[1][i] == 'pending' then held = groups[1][i + 1] end
    if groups[1][i] == 'last-delivered-id' then after = '(' .. groups[1][i + 1] end
  end
end
local oldest = redis.call('XRANGE', ready, after, '+', 'COUNT', 1)[1]
if not oldest then return answer(0, held, 0) end
local waits = now_ms() - tonumber(string.match(oldest[1], '^%d+'))
return answer(tokens - held, held, math.max(waits, 0))
