-- Makes wrk send iOS's queries, with different messages of 160 characters, and print the results.

local words = {
  "澳门", "娱乐", "验证码", "你好", "晚上一起吃饭吗", "coupon", "delivery", "running late", "see you at seven",
  "https://example.org/a", "préavis", "오늘 저녁에", "订单已发货", "123456", "退订回T", "会议改到周五",
}

local function message(seed)
  local parts, length = {}, 0
  while length < 160 do
    seed = (seed * 1103515245 + 12345) % 2147483648
    local word = words[1 + math.floor(seed / 65536) % #words]
    parts[#parts + 1] = word
    -- Characters are what is counted: bytes that do not continue one.
    length = length + select(2, word:gsub("[^\128-\191]", "")) + 1
  end
  return table.concat(parts, " ")
end

local requests, at = {}, 0

function init(args)
  local headers = { ["Content-Type"] = "application/json; charset=utf-8", ["Accept"] = "*/*" }
  for seed = 1, 1000 do
    local body = string.format(
      '{"_version":1,"query":{"sender":"%d","message":{"text":"%s"}},"app":{"version":"1.1"}}',
      14085550000 + seed, message(seed))
    requests[seed] = wrk.format("POST", "/message-filter", headers, body)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency, times)
  local errors = summary.errors
  io.write(string.format(
    "figures %d %d %d %d %.1f %.1f %.1f\n", summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.timeout, errors.status, latency:percentile(50),
    latency:percentile(99), latency.max))
end
