# A satellite between Earth and Moon on a closed orbit, in the frame that rotates with them.
# Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, sec. II.0.
param mu = 0.012277471                    # mass of the Moon
param nu = 1 - mu                         # mass of the Earth

D1 = ((x + mu)^2 + y^2)^1.5               # distances, cubed
D2 = ((x - nu)^2 + y^2)^1.5

x'' = x + 2*y' - nu*(x + mu)/D1 - mu*(x - nu)/D2
y'' = y - 2*x' - nu*y/D1        - mu*y/D2

init x = 0.994, x' = 0
init y = 0,     y' = -2.00158510637908252240537862224
output jacobi = x^2 + y^2 + 2*nu/D1^(1/3) + 2*mu/D2^(1/3) - x'^2 - y'^2     # stays
run 0 .. 17.0652165601579625588917206249
