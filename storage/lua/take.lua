-- Take the next token of a lane and begin its session's head. States: session.lua.
--
-- KEYS  1 ready  2 slots  3 capped
-- ARGV  1 group  2 worker  3, 4, 5 prefixes of state, inbox, items: the token names the session
--       6 slots that a project has, or '' for any number
-- Returns {the entry after which nothing is ready, so ring at a later one; '' if more is}, and
--         then, if a turn was taken: session, entry, fence, tries, falls, stopped by or '',
--         turn as JSON, text, files, mentioned
local ready, slots, capped = unpack(KEYS)
local group, worker, states, inboxes, all_items, cap = unpack(ARGV)

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

local function has_slot(state, project)
  if cap == '' or not project or redis.call('HGET', state, 'slot') then return true end
  if tonumber(redis.call('HGET', slots, project) or '0') >= tonumber(cap) then return false end
  redis.call('HINCRBY', slots, project, 1)
  redis.call('HSET', state, 'slot', project)
  return true
end

local function begin(entry, session)
  local state, inbox, items = states .. session, inboxes .. session, all_items .. session
  local now = redis.call('HMGET', state,
    's', 'entry', 'head', 'stop', 'stop_by', 'project', 'falls')
  local head = now[3] or redis.call('ZRANGE', inbox, 0, 0)[1]
  if now[1] ~= 'queued' or now[2] ~= entry or not head then
    drop_token(ready, group, entry)
    return nil
  end
  local stopped_by = now[4] == head and now[5] or ''
  -- Who only says that it stopped needs no slot.
  if stopped_by == '' and not has_slot(state, now[6]) then
    drop_token(ready, group, entry)
    redis.call('HSET', state, 's', 'capped')
    redis.call('ZADD', capped, 0, capped_as(state, session))
    return nil
  end
  redis.call('HSET', state, 's', 'running', 'head', head)
  redis.call('HDEL', state, 'cut', 'woken')
  local fence = redis.call('HINCRBY', state, 'fence', 1)
  local tries = redis.call('HINCRBY', state, 'tries', 1)
  local item = redis.call('HMGET', items,
    head, head .. '/text', head .. '/files', head .. '/mentioned')
  local more = redis.call('XRANGE', ready, '(' .. entry, '+', 'COUNT', 1)[1]
  return {more and '' or entry, session, entry, fence, tries, tonumber(now[7] or '0'), stopped_by,
          item[1], item[2], item[3], item[4]}
end

local token = next_token()
while token do
  local lease = begin(token[1], token[2][2])
  if lease then return lease end
  token = next_token()
end
return {last_entry()}
