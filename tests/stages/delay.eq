# a delay, a transfer function, and an equation with the derivative of an input that jumps
param T = 2, a = 3
input u = step(t - 1)

x' = -pade(x, T, 3)
w = laplace((s + 2)/(a*s^2 + s), x)
y'' + y = u'

init x = 1, y = 0, y' = 0
run 0 .. 10
