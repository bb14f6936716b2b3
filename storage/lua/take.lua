-- Take the next token of a lane and begin its session's head. States: session.lua.
--
-- KEYS  1 ready
-- ARGV  1 group  2 worker  3, 4, 5 prefixes of state, inbox, items: the token names the session
-- Returns {1, session, entry, fence, tries, stopped by or '', turn as JSON, text, files, mentioned}
--      or {0, the last entry ever added}: nothing is ready, ring at a later one
local ready = KEYS[1]
local group, worker, states, inboxes, all_items = unpack(ARGV)

local function next_token()
  if redis.call('EXISTS', ready) == 0 then return nil end
  local read = {'XREADGROUP', 'GROUP', group, worker, 'COUNT', 1, 'STREAMS', ready, '>'}
  local reply = redis.pcall(unpack(read))
  if reply and reply.err then
    redis.call('XGROUP', 'CREATE', ready, group, '0')
    reply = redis.call(unpack(read))
  end
  return reply and reply[1][2][1]
end

local function last_entry()
  if redis.call('EXISTS', ready) == 0 then return '0-0' end
  local about = redis.call('XINFO', 'STREAM', ready)
  for i = 1, #about, 2 do
    if about[i] == 'last-generated-id' then return about[i + 1] end
  end
end

local function begin(entry, session)
  local state, inbox, items = states .. session, inboxes .. session, all_items .. session
  local now = redis.call('HMGET', state, 's', 'entry', 'head', 'stop', 'stop_by')
  local head = now[3] or redis.call('ZRANGE', inbox, 0, 0)[1]
  if now[1] ~= 'queued' or now[2] ~= entry or not head then
    drop_token(ready, group, entry)
    return nil
  end
  redis.call('HSET', state, 's', 'running', 'head', head)
  redis.call('HDEL', state, 'cut')
  local fence = redis.call('HINCRBY', state, 'fence', 1)
  local tries = redis.call('HINCRBY', state, 'tries', 1)
  local item = redis.call('HMGET', items, head, head .. '/text', head .. '/files', head .. '/mentioned')
  local stopped_by = now[4] == head and now[5] or ''
  return {1, session, entry, fence, tries, stopped_by, item[1], item[2], item[3], item[4]}
end

local token = next_token()
while token do
  local lease = begin(token[1], token[2][2])
  if lease then return lease end
  token = next_token()
end
return {0, last_entry()}
